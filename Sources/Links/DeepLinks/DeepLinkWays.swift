import Visits
import Web

/// The kinds of visitors of deep links whose ways differ.
package enum DeepLinkVisitor: String, CaseIterable, Sendable {
    case android, iPhone, iPad
    /// A Mac, or an iPad, which says the same.
    case mac
    case computer, preview

    /// Those whom what is said of a link names. A Mac goes where computers go.
    static let named: [Self] = [.iPhone, .iPad, .android, .computer, .preview]
}

/// A question that decides where a visitor of a deep link goes.
enum DeepLinkQuestion: Hashable, Sendable {
    /// Whether the link has one of these parameters.
    case has([LinkParameter])
    /// Whether the link has `isi`, and the system is new enough for the app.
    case hasAppStore
    case isNewEnough
    case isInAppBrowser
    /// Whether `efr` is 1.
    case skipsPage
    /// Whether the target is a user's link, whose own preview shows more.
    case isUntitledInvite
    /// Whether it is an iPad, which only the browser knows.
    case isIPad
}

/// Where an answer leads.
enum DeepLinkEnd: Hashable, Sendable {
    /// The URL of this parameter.
    case parameter(LinkParameter)
    case playStore, appStore
    case preview
    /// The place where computers go.
    case elsewhere
}

/// A question, and the effect of an answer to it.
struct DeepLinkStep: Hashable, Sendable {
    var question: DeepLinkQuestion
    /// The answer that ends the way.
    var ending = true
    /// The place where that answer leads. Nil if the question decides only whether there is a page on the
    /// way.
    var end: DeepLinkEnd?
}

extension DeepLinkVisitor {
    /// The questions in their order. If no answer ends the way, it leads to `last`.
    var steps: [DeepLinkStep] {
        switch self {
        case .android: Self.ofAndroid
        case .iPhone: Self.ofIPhone
        case .iPad: Self.ofIPad
        case .mac: Self.ofMac
        case .computer: Self.ofComputer
        case .preview: Self.ofPreview
        }
    }

    var last: DeepLinkEnd {
        switch self {
        case .preview: .preview
        case .mac: .elsewhere
        case .android, .iPhone, .iPad, .computer: .parameter(.link)
        }
    }

    private static let ofAndroid: [DeepLinkStep] = [
        .needing([.apn]), DeepLinkStep(question: .isInAppBrowser), .fallback(.afl),
        DeepLinkStep(question: .isNewEnough, end: .playStore), .fallback(.al),
    ]
    private static let ofIPhone: [DeepLinkStep] = [
        .needing([.ibi]), DeepLinkStep(question: .skipsPage), .fallback(.ifl), .appStore,
    ]
    private static let ofIPad: [DeepLinkStep] = [
        .needing([.ibi, .ipbi]), DeepLinkStep(question: .skipsPage), .fallback(.ipfl), .fallback(.ifl),
        .appStore,
    ]
    private static let ofMac: [DeepLinkStep] = [
        .needing([.ibi, .ipbi]), DeepLinkStep(question: .isIPad),
    ]
    private static let ofComputer: [DeepLinkStep] = [.fallback(.ofl)]
    private static let ofPreview: [DeepLinkStep] = [
        DeepLinkStep(question: .isUntitledInvite, end: .parameter(.link))
    ]
}

extension DeepLinkStep {
    fileprivate static let appStore = DeepLinkStep(question: .hasAppStore, end: .appStore)

    /// Returns a step that needs one of these parameters. Without them the visitor goes where computers go.
    fileprivate static func needing(_ parameters: [LinkParameter]) -> DeepLinkStep {
        DeepLinkStep(question: .has(parameters), ending: false, end: .elsewhere)
    }

    fileprivate static func fallback(_ parameter: LinkParameter) -> DeepLinkStep {
        DeepLinkStep(question: .has([parameter]), end: .parameter(parameter))
    }
}

extension DeepLinkVisitor {
    /// Returns an ordinary visit, with a new system.
    package func visit(isInvite: Bool) -> DeepLinkVisit {
        let system: Device.System =
            switch self {
            case .iPhone, .iPad: .iOS
            case .android: .android
            case .mac, .computer, .preview: .other
            }
        return DeepLinkVisit(
            device: Device(system: system), isIPad: self == .iPad, mayBeIPad: self == .mac,
            isPreviewFetcher: self == .preview, isInvite: isInvite)
    }
}
