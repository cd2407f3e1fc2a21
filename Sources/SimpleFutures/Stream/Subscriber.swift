/// Somebody who gets the elements of a stream, in order and one at a time, until the end or until detached.
@usableFromInline
package final class Subscriber: ListNode, @unchecked Sendable {
    // Sendable:
    // 1. `interest`, `isMainImmediate`, `joins`, `link` and `source` never change after the subscriber has been added.
    // 2. Everything else is guarded by the lock of the stream. A body that is running is held by the thread that runs it.

    let interest: StreamInterest
    /// Whether its body runs at once when an element comes on the main queue.
    let isMainImmediate: Bool
    /// Whether it is one of several that emit into the target, and if its source is cancelled merely ends.
    let joins: Bool

    /// The subscriber's place in a token's list.
    final var link: SubscriberLink?
    /// The subscriber's place among the sources of its target.
    final var source: StreamSource?

    @exclusivity(unchecked) final var place = Place.outside
    /// Counts the subscribers of the stream.
    @exclusivity(unchecked) final var number: UInt64 = 0
    @exclusivity(unchecked) final var position = StreamPosition()
    @exclusivity(unchecked) final var lane: StreamLane?
    @exclusivity(unchecked) fileprivate(set) final var contents: Contents

    enum Place: UInt8 {
        /// Not yet added.
        case outside
        /// In a list of its lane.
        case waiting
        /// Its body is called with an element.
        case running
        /// It has had the end, or was taken out.
        case done
    }

    /// What is released when the subscriber is done.
    struct Contents: Sendable {
        var target: StreamCore?
        var body: StreamBody?
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

    /// Whether it asks for the end alone, and has no place in the log.
    var wantsEndOnly: Bool { interest.isDisjoint(with: .elements) && contents.target == nil }

    /// For the one who has taken the subscriber out.
    func forgetSource(of target: StreamCore?) {
        if let target, let source { target.forget(source) }
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
    // Sendable as its superclass is; the subscriber is constant but for the one who has taken the link out of the token's
    // list, or has failed to add it.

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

    /// Detaches the subscriber: its stream forgets it, and the stream derived from it is cancelled.
    override func detach() {
        guard let subscriber = subscriber.take(), let owner else { return }
        guard let contents = owner.detach(subscriber) else { return }
        contents.target?.cancelAsTarget()
        Trampoline.submit { _ = contents }
    }
}

/// A subscriber in the list of its target: what a stream is cut off from when it has ended.
final class StreamSource: ListNode, @unchecked Sendable {
    // Sendable: everything is constant but for the list links, which are guarded by the lock of the target.

    private let subscriber: Subscriber
    // A variable for compilers before 6.3, which know no weak constant.
    private weak var owner: StreamCore?

    init(_ subscriber: Subscriber, of owner: StreamCore) {
        self.subscriber = subscriber
        self.owner = owner
        super.init()
    }

    func cut() { owner?.remove(subscriber) }
}
