package import Hummingbird

/// A context that knows which route is called.
package protocol RoutedContext: RequestContext {
    /// Nil if the path has none, or none with this method.
    var route: RouteRules? { get set }
    /// How errors are answered, which the path says even if it has no route.
    var form: ErrorForm { get set }
}
