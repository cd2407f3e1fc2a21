/// Waits for many inputs: for all of them, or for the first suitable one.
///
/// A registration needs no allocation: the input holds this object and its own index.
///
/// It holds no pending input, so that an input that only it refers to is released and breaks. Therefore it cannot
/// remove its registrations. When it has ended it releases everything it holds, and the inputs remove their stale
/// registrations later. Only inputs that leave their sources without waiters are told at once: see ``Lifeline``.
@usableFromInline
class Inputs: _LockedObject, @unchecked Sendable {
    // Sendable: `lifelines` is accessed under the lock, and the properties of subclasses are constant.

    /// The lifelines of pending inputs.
    @exclusivity(unchecked) private final var lifelines: [Lifeline] = []

    init() { super.init() }

    final func remember(_ lifeline: Lifeline) {
        withLock { lifelines.append(lifeline) }
        // It may have ended before it was remembered.
        if isOver { letInputsGo() }
    }

    /// Tells the inputs that the wait is over: those without other waiters or holders leave their sources (promise 8).
    final func letInputsGo() {
        let lifelines = withLock { () -> [Lifeline] in
            defer { self.lifelines = [] }
            return self.lifelines
        }
        guard !lifelines.isEmpty else { return }
        // In its turn, as the source of an input may be such a wait too, and so on.
        Trampoline.submit { for lifeline in lifelines { lifeline.update() } }
    }

    /// The future that waits for the inputs; nil after the end.
    var target: AnyFuture? { nil }

    /// Whether the wait is over, so that it holds nothing any more.
    ///
    /// Called under the lock of an input.
    var isOver: Bool { true }

    /// Called when an input has ended.
    ///
    /// A successful input calls a gathering on the thread that completed it, before the completing call returns.
    func arrive(_ source: AnyFuture, at index: Int) {}
}

extension FutureState {
    /// The waits for many inputs that are registered.
    var waitsForMany: [Inputs] {
        var found: [Inputs] = []
        if let inputs = first.read({ $0.kind.isOfMany ? $0.inputs : nil }) ?? nil { found.append(inputs) }
        if leftoverLimit > 0 { waiting.forEach { if $0.kind.isOfMany { found.append($0.route.inputs) } } }
        return found
    }
}

extension Callback? {
    /// Calls a closure with the callback, if there is one.
    @inline(__always)
    func read<Value>(_ body: (borrowing Callback) -> Value) -> Value? {
        switch self {
        case .some(let callback): body(callback)
        case nil: nil
        }
    }

    /// Whether the registration is stale: its combined future waits no longer.
    var isOver: Bool { read { $0.kind.isOfMany && $0.inputs.isOver } ?? false }
}

extension Observer {
    /// Whether the registration is stale: its combined future waits no longer.
    var isOver: Bool {
        kind.isOfMany && route.inputs.isOver
    }
}

extension _Route {
    /// The inputs, in the route of a callback of a combined future.
    ///
    /// The kind of the callback says that the object is of this class. It has subclasses, so a checked cast is a call:
    /// 4 % of a `sequence`.
    var inputs: Inputs { unsafeDowncast(object.unsafelyUnwrapped, to: Inputs.self) }
}
