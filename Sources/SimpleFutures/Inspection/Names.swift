/// The names of live objects, for reports.
enum Names {
    private static let register = Register<String>()

    // An object that is renamed keeps its former entries until it is released. There are few.
    static func set(_ name: String, of one: any Subject) { register.enter(one, name) }

    /// The last name of each object, by identity.
    static var all: [ObjectIdentifier: String] {
        Dictionary(register.living.map { (ObjectIdentifier($0.one), $0.note) }) { _, new in new }
    }
}

extension Future {
    /// Names this future in ``FuturesDiagnostics/pending``.
    ///
    ///     let profile = future(method: client.loadProfile).named("profile of \(id)")
    ///
    /// - Parameter name: The name. It is not evaluated while ``FuturesDiagnostics/isTracking`` is false.
    /// - Returns: This future.
    @discardableResult
    public func named(_ name: @autoclosure () -> String) -> Future<T> {
        if Census.isOn { Names.set(name(), of: self) }
        return self
    }
}

extension FutureStream {
    /// Names this stream in ``FuturesDiagnostics/pending``.
    ///
    /// - Parameter name: The name. It is not evaluated while ``FuturesDiagnostics/isTracking`` is false.
    /// - Returns: This stream.
    @discardableResult
    public func named(_ name: @autoclosure () -> String) -> FutureStream<T> {
        if Census.isOn { Names.set(name(), of: core) }
        return self
    }
}
