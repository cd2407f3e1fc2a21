/// Waits for many futures: for all of them, or for the first that will do.
///
/// Its registrations cost no allocation of their own: a future holds it and the number of the input.
///
/// It holds no future that is pending, so that an input breaks that nobody else holds. Thus it cannot take back what it
/// has registered: when it has got what it wanted it lets go of everything it holds, and the futures forget what is
/// left of it with the next registration.
@usableFromInline
package class Inputs: _LockedObject, @unchecked Sendable {
    // Sendable: it has no stored properties, and those of its subclasses are constants.

    init() { super.init() }

    /// The future that waits, for one who tells of it; nil if it waits no longer.
    var target: AnyFuture? { nil }

    /// Whether it waits no longer; it then holds nothing.
    ///
    /// It is asked under the lock of a future.
    var isOver: Bool { true }

    /// One of the futures has ended.
    ///
    /// If that is a success, a gathering hears of it inside of whatever has completed the future.
    func arrive(_ source: AnyFuture, at index: Int) {}
}

extension AnyFuture {
    /// Registers one who waits for many, where the future is settled.
    final func observe(_ kind: ObserverKind, _ inputs: Inputs, at index: Int) {
        observe(Callback(kind, input: index, of: inputs), under: .none)
    }
}

extension Callback? {
    /// Whether it is of one who waited for many, and waits no longer.
    var isOver: Bool {
        switch self {
        case .some(let callback): callback.kind.isOfMany && callback.inputs.isOver
        case nil: false
        }
    }

    /// Whether its code may belong on another context than the thread that delivers.
    var mayLeave: Bool {
        switch self {
        case .some(let callback): callback.route.kind != .immediate
        case nil: false
        }
    }

    /// What it settles.
    var target: AnyFuture? {
        switch self {
        case .some(let callback): callback.target
        case nil: nil
        }
    }

    /// Whether it is of one who waits for all of many.
    var isOfGathering: Bool {
        switch self {
        case .some(let callback): callback.kind == .gathering
        case nil: false
        }
    }
}

extension Observer {
    /// Whether it is of one who waited for many, and waits no longer.
    var isOver: Bool {
        kind.isOfMany && unsafeDowncast(route.object.unsafelyUnwrapped, to: Inputs.self).isOver
    }
}
