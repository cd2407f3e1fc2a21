import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Notifications as a stream", .watchdog)
final class NotificationCenterTests {
    /// Stops everything that a test has left running.
    private let closed = CancelToken()
    private let center = NotificationCenter()
    private let heard = Box<[Int]>([])
    private let transforms = Box(0)

    private func stream(
        object: Sender? = nil, capacity: Int = 0, cancelToken: CancelToken? = nil
    ) -> FutureStream<Int> {
        center.notifications(named: .step, object: object, capacity: capacity, cancelToken: cancelToken ?? closed) {
            [transforms] notification in
            transforms.increment()
            return notification.userInfo?["number"] as? Int
        }
    }

    deinit { closed.cancel() }

    private func post(_ numbers: Int..., from sender: Sender? = nil) {
        for number in numbers { center.post(name: .step, object: sender, userInfo: ["number": number]) }
    }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: immediate, cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test func `posted notifications arrive transformed, in order, before the post returns`() {
        let stream = stream()
        listen(to: stream)
        post(1, 2)
        #expect(heard.value == [1, 2])
        center.post(name: Notification.Name("another"), object: nil, userInfo: ["number": 3])
        center.post(name: .step, object: nil)
        #expect(heard.value == [1, 2])
        #expect(transforms.value == 3)
    }

    @Test func `an error thrown by the closure is a failure, and the stream continues`() {
        let stream = center.notifications(named: .step, capacity: 0, cancelToken: closed) { notification -> Int? in
            guard let number = notification.userInfo?["number"] as? Int, number > 1 else { throw Failure() }
            return number
        }
        let events = stream.heard()
        post(1, 2)
        center.post(name: .step, object: nil)
        #expect(events.all == [.failure(Failure()), 2, .failure(Failure())])
        #expect(!stream.isFinished)
    }

    @Test func `there is one observer while there are subscribers, until the token is canceled`() async {
        // Each observer transforms a notification.
        let observers = { [self] in
            transforms.value = 0
            post(0)
            return transforms.value
        }
        await expectLifetime(sources: observers) { stream(capacity: $0, cancelToken: $1) }
    }

    @Test func `with an object only its notifications are received`() {
        let (mine, other) = (Sender(), Sender())
        listen(to: stream(object: mine))
        post(1, from: mine)
        post(2, from: other)
        post(3)
        #expect(heard.value == [1])
    }

    @Test func `the object is not kept alive: after its release, a new subscription finishes the stream`() {
        var sender: Sender? = Sender()
        weak let weakSender = sender
        let (stream, neverHeard) = (stream(object: sender), stream(object: sender))
        let token = CancelToken()
        listen(to: stream, cancelToken: token)
        post(1, from: sender)
        sender = nil
        #expect(weakSender == nil && !stream.isFinished)
        token.cancel()
        listen(to: stream)
        #expect(stream.isFinished)
        post(2)
        #expect(heard.value == [1])
        #expect(neverHeard.heard().all == [.finish])
    }

    @Test func `after the object's release notifications of another one at its address are not received`() {
        for _ in 0..<200 {
            var sender: Sender? = Sender()
            let address = sender.map { ObjectIdentifier($0) }
            listen(to: stream(object: sender))
            sender = nil
            // An allocator usually returns the memory that was freed last.
            let other = Sender()
            if ObjectIdentifier(other) == address { post(1, from: other) }
        }
        #expect(heard.value == [] && transforms.value == 0)
    }

    @Test func `a token can be canceled inside the closure and inside a callback`() {
        for isInClosure in [true, false] {
            let token = CancelToken()
            let stream = center.notifications(named: .step, capacity: 0, cancelToken: token) { notification -> Int? in
                if isInClosure { token.cancel() }
                return notification.userInfo?["number"] as? Int
            }
            stream.onSuccess(context: immediate) { [heard] number in
                heard.append(number)
                token.cancel()
            }
            post(1, 2)
        }
        #expect(heard.value == [1])
    }

    @Test(arguments: [false, true])
    func `all captures are released when the token is canceled or the last subscriber has left`(isByToken: Bool) {
        let (token, leave) = (CancelToken(), CancelToken())
        let captures = Watch { probe in
            let stream = center.notifications(named: .step, capacity: 0, cancelToken: token) { _ -> Int? in
                probe.use()
                return 1
            }
            stream.onSuccess(context: immediate, cancelToken: leave) { _ in probe.use() }
        }
        #expect(!captures.isReleased)
        if isByToken { token.cancel() } else { leave.cancel() }
        #expect(captures.isReleased)
    }
}

private final class Sender: Sendable {}

extension Notification.Name {
    fileprivate static let step = Notification.Name("SimpleFuturesFoundationTests.step")
}
