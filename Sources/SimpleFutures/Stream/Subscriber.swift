/// Somebody who gets the elements of a stream, in order and one at a time, until the end or until detached.
@usableFromInline
package final class Subscriber: ListNode, @unchecked Sendable {
    // Sendable:
    // 1. `interest`, `isMainImmediate` and `joins` never change; `link` is set before anybody else knows the
    //    subscriber.
    // 2. Everything else is guarded by the lock of the stream. A body that is running is held by the thread that runs
    //    it.

    let interest: StreamInterest
    /// Whether its body runs at once when an element comes on the main queue.
    let isMainImmediate: Bool
    /// Whether it is one of several that emit into the target, and if its source is canceled merely ends.
    let joins: Bool

    /// The subscriber's place in a token's list.
    final var link: SubscriberLink?

    @exclusivity(unchecked) final var place = Place.outside
    /// Counts the subscribers of the stream.
    @exclusivity(unchecked) final var number: UInt64 = 0
    @exclusivity(unchecked) final var position = StreamPosition()
    @exclusivity(unchecked) final var lane: StreamLane?
    @exclusivity(unchecked) fileprivate(set) final var contents: Contents

    enum Place: UInt8 {
        /// Not yet added.
        case outside
        /// In one of the lists of its lane.
        case waiting
        /// Its body is called with an element.
        case running
        /// It has had the end, or was taken out.
        case done
    }

    /// What is released when the subscriber is done.
    ///
    /// It belongs to the one who has taken the subscriber out.
    struct Contents: Sendable {
        var target: StreamCore?
        var body: StreamBody?
        /// The subscriber's place among the sources of its target, which holds the subscriber.
        var source: SubscriberSource?

        /// Runs the body, if it is interested, or passes an error on to the target.
        @inline(__always)
        func take(_ event: StreamEvent, _ interest: StreamInterest) {
            if interest.contains(event.signal) { body?(event, target) } else { passOn(event) }
        }

        @inline(never)
        private func passOn(_ event: StreamEvent) {
            if let error = event.error {
                target?.emit(error: error)
            } else {
                assert(target == nil, "a subscriber with a target takes values itself")
            }
        }

        /// The target is no longer emitted into.
        func leaveTarget() {
            if let target, let source { target.forget(source) }
        }
    }

    @usableFromInline
    package init(
        _ interest: StreamInterest, isMainImmediate: Bool = false, target: StreamCore? = nil, joins: Bool = false,
        _ body: StreamBody? = nil
    ) {
        self.interest = interest
        self.isMainImmediate = isMainImmediate
        self.joins = joins
        contents = Contents(target: target, body: body)
    }

    /// Makes the subscriber a source of its target; false when that has ended.
    ///
    /// To be called before it is added.
    func joinTarget(from owner: StreamCore) -> Bool {
        guard let target = contents.target else { return true }
        let source = SubscriberSource(self, of: owner)
        contents.source = source
        if target.add(source) { return true }
        // The two hold each other.
        _ = takeContents()
        return false
    }

    /// Whether its token, if there is one, has not detached it.
    @inline(__always)
    var isLive: Bool { link == nil || hasLiveLink }

    @inline(never)
    private var hasLiveLink: Bool { link.map { $0.token.isLive($0) } ?? true }

    /// Whether it asks for the end alone, and has no place in the log.
    var wantsEndOnly: Bool { interest.isDisjoint(with: .elements) && contents.target == nil }

    // MARK: Several elements at once

    /// Starts to run with some elements.
    @inline(__always)
    func start() {
        place = .running
        if isInterrupted { setInterrupted(false) }
    }

    /// Has whoever runs its body ask what is next before the next element.
    func interrupt() { setInterrupted(true) }

    private func setInterrupted(_ new: Bool) {
        publish(new ? 1 : 0)
    }

    /// Whether to ask.
    var isInterrupted: Bool {
        status != 0
    }

    func takeContents() -> Contents {
        defer { contents = Contents() }
        return contents
    }

    /// The order in which the subscribers of a lane are called: by element, then by registration.
    func precedes(_ other: Subscriber) -> Bool {
        position.index == other.position.index ? number < other.number : position.index < other.position.index
    }
}

/// The place of a stream's subscriber in a token's list.
final class SubscriberLink: TokenLink, @unchecked Sendable {
    // Sendable as its superclass is; `subscriber` belongs to the one who has taken the link out of the token's list, or
    // has failed to add it.

    private var subscriber: Subscriber?
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var owner: StreamCore?

    init(_ subscriber: Subscriber, of owner: StreamCore, under token: CancelToken) {
        self.subscriber = subscriber
        self.owner = owner
        super.init(of: owner, under: token)
    }

    override func belongs(to owner: AnyObject) -> Bool { self.owner === owner }

    /// For a stream that has ended: true if the end may be told, false if the token was first.
    func release() -> Bool {
        guard token.claim(self) else { return false }
        subscriber = nil
        return true
    }

    /// Lets the subscriber go, which its stream has let go.
    func forget() {
        if token.remove(self) { subscriber = nil }
    }

    /// Detaches the subscriber: its stream forgets it, and the stream derived from it is canceled.
    override func detach() {
        guard let subscriber = subscriber.take(), let contents = owner?.takeOut(subscriber) else { return }
        contents.target?.cancelAsTarget()
        Trampoline.submit { _ = contents }
    }
}

/// Something that emits into a stream, in the list of that: what the stream is cut off from when it has ended.
class StreamSource: ListNode, @unchecked Sendable {
    // Sendable: the list links are guarded by the lock of the target.

    /// For the target, which has taken it out of its list.
    func cut() {}

    /// The stream that emits, if the target takes over all of its elements as one of several sources.
    var joinedStream: StreamCore? { nil }
}

/// A subscriber of another stream that emits into this one.
final class SubscriberSource: StreamSource, @unchecked Sendable {
    // Sendable as its superclass is, and constant.

    // The subscriber holds this in turn, as long as it has its contents.
    private let subscriber: Subscriber
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var owner: StreamCore?

    fileprivate init(_ subscriber: Subscriber, of owner: StreamCore) {
        self.subscriber = subscriber
        self.owner = owner
        super.init()
    }

    override func cut() { owner?.remove(subscriber) }

    override var joinedStream: StreamCore? { subscriber.joins ? owner : nil }
}
