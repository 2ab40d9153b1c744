/// Which roles beside admin may make a call.
extension Route.Handler {
    /// The caller is an admin or of support.
    package static func support(_ handler: @escaping Route.Function<AdminContext>) -> Self {
        .admin(handler, or: [.support])
    }

    /// The caller is an admin or of growth.
    package static func growth(_ handler: @escaping Route.Function<AdminContext>) -> Self {
        .admin(handler, or: [.growth])
    }

    /// The caller is an admin, of growth, or a viewer.
    package static func viewer(_ handler: @escaping Route.Function<AdminContext>) -> Self {
        .admin(handler, or: [.growth, .viewer])
    }
}
