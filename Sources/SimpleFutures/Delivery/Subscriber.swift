/// A subscription to a stream.
///
/// It gets the elements in order, one at a time, until the end or a cancellation.
@usableFromInline
package final class Subscriber: ListNode, @unchecked Sendable {
    // Sendable:
    // 1. `interest`, `isMainImmediate` and `joins` never change; `link` is set before the subscriber is shared.
    // 2. Everything else is guarded by the lock of the stream. The thread that runs a body holds it.

    let interest: StreamInterest
    /// Whether its body runs at once when an element is emitted on the main queue.
    let isMainImmediate: Bool
    /// Whether it is one of several sources of the target, so that streams that are joined may form a ring.
    let joins: Bool

    /// The subscriber's entry in a token's list.
    final var link: SubscriberLink?

    @exclusivity(unchecked) final var place = Place.outside
    /// The position in the order of registration.
    @exclusivity(unchecked) final var number: UInt64 = 0
    @exclusivity(unchecked) final var position = StreamPosition()
    @exclusivity(unchecked) final var mailbox: Mailbox?
    @exclusivity(unchecked) fileprivate(set) final var contents: Contents

    enum Place: UInt8 {
        /// Not yet added.
        case outside
        /// In one of the lists of its mailbox.
        case waiting
        /// Its body is running.
        case running
        /// Its body is running, and gets nothing more; its target passes on its last element, or will leave.
        case leaving
        /// It has received the end or was removed.
        case done
    }

    /// The references to release when the subscriber is done.
    ///
    /// They belong to the thread that has removed the subscriber.
    struct Contents: Sendable {
        var target: StreamCore?
        var body: StreamBody?
        /// The subscriber's entry among the sources of its target, which holds the subscriber.
        var source: SubscriberSource?

        /// Runs the body if it handles the event; otherwise passes an error on to the target.
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

        /// Removes the subscriber from the target's sources.
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

    /// Makes the subscriber a source of its target.
    ///
    /// Returns false when the target has ended.
    ///
    /// Must be called before the subscriber is added.
    func joinTarget(from owner: StreamCore) -> Bool {
        guard let target = contents.target else { return true }
        let source = SubscriberSource(self, of: owner)
        contents.source = source
        if target.add(source) { return true }
        // Breaks the retain cycle between the two.
        _ = takeContents()
        return false
    }

    /// Whether its token, if there is one, has not canceled it.
    @inline(__always)
    var isLive: Bool { link == nil || hasLiveLink }

    @inline(never)
    private var hasLiveLink: Bool { link.map { $0.token.isLive($0) } ?? true }

    /// Whether it only handles the end, and has no position in the log.
    var wantsEndOnly: Bool { interest.isDisjoint(with: .elements) && contents.target == nil }

    // MARK: Several elements at once

    /// Begins a run of the body.
    @inline(__always)
    func start() {
        place = .running
        if isInterrupted { publish(0) }
    }

    /// Makes the delivering thread check for the next step before the next element.
    func interrupt() { publish(1) }

    /// Whether the delivering thread must check for the next step.
    var isInterrupted: Bool { status != 0 }

    func takeContents() -> Contents {
        defer { contents = Contents() }
        return contents
    }
}

extension Unretained<Subscriber> {
    /// The order in which the subscribers of a mailbox run: by element, then by registration.
    func precedes(_ other: Self) -> Bool {
        use { one in
            other.use { two in
                let (first, second) = (one.position.index, two.position.index)
                return first == second ? one.number < two.number : first < second
            }
        }
    }
}

/// The entry of a stream's subscriber in a token's list.
final class SubscriberLink: TokenLink, @unchecked Sendable {
    // Sendable like its superclass; `subscriber` and `contents` belong to the thread that has removed the link from the
    // token's list, or has failed to add it.

    private var subscriber: Subscriber?
    /// The contents of a subscriber that has left its stream.
    private var contents: Subscriber.Contents?
    /// The sources of a stream that has lost its last listener with the subscriber.
    private var sources: [StreamSource] = []
    // A variable, because compilers before 6.3 do not support weak constants.
    private weak var owner: StreamCore?

    init(_ subscriber: Subscriber, of owner: StreamCore, under token: CancelToken) {
        self.subscriber = subscriber
        self.owner = owner
        super.init(of: owner, under: token)
    }

    override func belongs(to owner: AnyObject) -> Bool { self.owner === owner }

    /// Releases the subscriber of a stream that has ended.
    ///
    /// Returns false if the token was canceled first.
    func release() -> Bool {
        guard token.claim(self) else { return false }
        subscriber = nil
        return true
    }

    /// Releases a subscriber that was removed from its stream.
    func forget() {
        if token.claim(self) { subscriber = nil }
    }

    override func leave() {
        // Taken in any case, because the two hold each other.
        guard let subscriber = subscriber.take(), let owner else { return }
        contents = owner.takeOut(subscriber)
        if contents != nil, !subscriber.wantsEndOnly { sources = owner.sourcesToLeave }
    }

    override func leaveSources() { StreamCore.leave(sources) }

    override func cancelTarget() {
        sources = []
        guard let contents = contents.take() else { return }
        contents.target?.cancelAsTarget()
        Trampoline.submit { _ = contents }
    }
}

/// A source that emits into a stream, in the stream's list.
///
/// The stream disconnects it when it has ended.
class StreamSource: ListNode, @unchecked Sendable {
    // Sendable: the list links are guarded by the lock of the target.

    /// Stops emitting.
    ///
    /// Called by the target, which has removed the source from its list.
    func cut() {}

    /// Unsubscribes from the source before the target ends.
    ///
    /// Returns the sources that the source itself will leave for this reason.
    func leaveEarly() -> [StreamSource] { [] }

    /// Whether it is a stream whose elements the target takes beside those of other sources.
    ///
    /// These come first in the target's list, where cycles are searched for.
    var joins: Bool { false }

    /// The emitting stream, if it joins.
    var joinedStream: StreamCore? { nil }
}

/// A subscriber of another stream that emits into this one.
final class SubscriberSource: StreamSource, @unchecked Sendable {
    // Sendable like its superclass; constant.

    // The subscriber holds this object as long as it has its contents.
    private let subscriber: Subscriber
    // A variable, because compilers before 6.3 do not support weak constants.
    private weak var owner: StreamCore?

    fileprivate init(_ subscriber: Subscriber, of owner: StreamCore) {
        self.subscriber = subscriber
        self.owner = owner
        super.init()
    }

    override func cut() { owner?.remove(subscriber) }

    override func leaveEarly() -> [StreamSource] { owner?.removeEarly(subscriber) ?? [] }

    override var joins: Bool { subscriber.joins }

    override var joinedStream: StreamCore? { joins ? owner : nil }
}
