/// What a stream tells those who have subscribed to it.
@usableFromInline
package enum StreamSignal: UInt8, Sendable {
    /// An element that is a value.
    case success
    /// An element that is an error.
    case failure
    /// The end: nobody will emit any more.
    case finish
    /// The end of a derived stream that was detached from its source.
    case cancellation

    @usableFromInline var isElement: Bool { self == .success || self == .failure }
}

/// Which signals a subscriber's body is called with.
///
/// What a subscriber with a target does not want is passed to the target by the core, at the same place in the order;
/// what a subscriber without a target does not want is skipped.
@usableFromInline
package struct StreamInterest: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @usableFromInline
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    @usableFromInline package static var success: Self { Self(rawValue: 1 << StreamSignal.success.rawValue) }
    @usableFromInline package static var failure: Self { Self(rawValue: 1 << StreamSignal.failure.rawValue) }
    @usableFromInline package static var finish: Self { Self(rawValue: 1 << StreamSignal.finish.rawValue) }
    @usableFromInline package static var cancellation: Self { Self(rawValue: 1 << StreamSignal.cancellation.rawValue) }
    /// Both kinds of elements.
    @usableFromInline package static var elements: Self { [.success, .failure] }
    /// Elements and ends.
    @usableFromInline package static var everything: Self { [.elements, .finish, .cancellation] }

    @inline(__always)
    func contains(_ signal: StreamSignal) -> Bool { rawValue & (1 << signal.rawValue) != 0 }
}

/// What a subscriber is called with: elements that lie in the log of the stream, or its end.
///
/// The elements stay where they are until the call returns, since the subscriber's place in the log is moved
/// afterwards.
@usableFromInline
package struct StreamEvent {
    @usableFromInline package let signal: StreamSignal
    /// How many elements there are: one, but for sinks, which get all that lie side by side.
    @usableFromInline package let count: Int
    private let slots: UnsafeMutablePointer<StreamSlot>?

    init(_ slots: UnsafeMutablePointer<StreamSlot>, count: Int) {
        signal = slots.pointee.signal
        self.slots = slots
        self.count = count
    }

    init(end: StreamSignal) {
        signal = end
        slots = nil
        count = 0
    }

    /// Where the payload of an element lies.
    @usableFromInline
    package func raw(_ index: Int = 0) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(slots.unsafelyUnwrapped + index)
    }

    /// Whether an element is a value or an error.
    @usableFromInline
    package func signal(_ index: Int) -> StreamSignal { slots.unsafelyUnwrapped[index].signal }

    /// The value of an element that is one.
    @inlinable
    package func value<Value>(as _: Value.Type) -> Value { Payload.load(raw(), as: Value.self) }

    /// The error of an element that is one.
    @usableFromInline
    package var error: (any Error)? { signal == .failure ? Payload.loadError(raw()) : nil }

    /// An element; for the end it must not be asked.
    @inlinable
    package func result<Value>(_ index: Int = 0, as _: Value.Type) -> Try<Value> {
        signal(index) == .success
            ? .success(Payload.load(raw(index), as: Value.self)) : .failure(Payload.loadError(raw(index)))
    }
}

@available(*, unavailable)
extension StreamEvent: Sendable {}

/// The code of a subscriber.
///
/// `target` is the stream that it emits into.
@usableFromInline
package typealias StreamBody = @Sendable (_ event: StreamEvent, _ target: StreamCore?) -> Void
