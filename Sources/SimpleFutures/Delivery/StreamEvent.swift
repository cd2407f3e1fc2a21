/// A kind of event that a stream sends to its subscribers.
@usableFromInline
package enum StreamSignal: UInt8, Sendable {
    /// An element that is a value.
    case success
    /// An element that is an error.
    case failure
    /// The stream has finished: no more elements follow.
    case finish
    /// The stream was canceled.
    case cancellation

    @usableFromInline var isElement: Bool { self == .success || self == .failure }
}

/// The kinds of events that a subscriber's body handles.
///
/// If the subscriber has a target, the core passes other events to it, in order. Otherwise other events are skipped.
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
    @usableFromInline static var elements: Self { [.success, .failure] }
    /// Elements and ends.
    @usableFromInline package static var everything: Self { [.elements, .finish, .cancellation] }

    @inline(__always)
    func contains(_ signal: StreamSignal) -> Bool { rawValue & (1 << signal.rawValue) != 0 }
}

/// The argument of a subscriber's body: elements in the stream's log, or the end.
///
/// The elements stay in place until the call returns, because the subscriber's position advances only afterwards.
@usableFromInline
package struct StreamEvent {
    @usableFromInline package let signal: StreamSignal
    /// The number of elements: one, except for sinks, which get all contiguous elements.
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

    /// The address of an element's payload.
    @usableFromInline
    func raw(_ index: Int = 0) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(slots.unsafelyUnwrapped + index)
    }

    /// Whether an element is a value or an error.
    @usableFromInline
    package func signal(_ index: Int) -> StreamSignal { slots.unsafelyUnwrapped[index].signal }

    /// The value.
    ///
    /// The element must be a value.
    @inlinable
    package func value<Value>(as _: Value.Type) -> Value { Payload.load(raw(), as: Value.self) }

    /// The error, or nil if the element is a value.
    @usableFromInline
    package var error: (any Error)? { signal == .failure ? Payload.loadError(raw()) : nil }

    /// The element as a result.
    ///
    /// The event must not be the end.
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
