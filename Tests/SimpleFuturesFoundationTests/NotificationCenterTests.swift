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
            transforms.change { $0 += 1 }
            return notification.userInfo?["number"] as? Int
        }
    }

    deinit { closed.cancel() }

    private func post(_ numbers: Int..., from sender: Sender? = nil) {
        for number in numbers { center.post(name: .step, object: sender, userInfo: ["number": number]) }
    }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: ImmediateContext(), cancelToken: cancelToken) { [heard] in heard.append($0) }
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

    @Test func `a notification is transformed once for all subscribers, and not at all without subscribers`() {
        let stream = stream()
        post(0)
        #expect(transforms.value == 0)
        listen(to: stream)
        listen(to: stream.map(context: ImmediateContext()) { -$0 })
        post(1)
        #expect(heard.value.sorted() == [-1, 1])
        #expect(transforms.value == 1)
    }

    @Test func `an error thrown by the closure is a failure, and the stream continues`() {
        let words = Box<[String]>([])
        let stream = center.notifications(named: .step, capacity: 0, cancelToken: closed) { notification -> Int? in
            guard let number = notification.userInfo?["number"] as? Int, number > 1 else { throw Failure() }
            return number
        }
        stream.onComplete(context: ImmediateContext()) { words.append($0.value.map { "\($0)" } ?? "failure") }
        post(1, 2)
        center.post(name: .step, object: nil)
        #expect(words.value == ["failure", "2", "failure"])
        #expect(!stream.isFinished)
    }

    @Test func `the observer is registered while there are subscribers`() {
        let stream = stream()
        for number in 1...3 {
            let token = CancelToken()
            listen(to: stream, cancelToken: token)
            post(number)
            token.cancel()
            post(10 * number)
        }
        #expect(heard.value == [1, 2, 3])
        #expect(transforms.value == 3)
    }

    @Test func `with a replay buffer no notification after the call is missed`() {
        let stream = stream(capacity: 2)
        post(1, 2, 3)
        listen(to: stream)
        #expect(heard.value == [2, 3])
    }

    @Test func `a loop gets notifications posted after its iterator was created, and break removes the observer`()
        async throws
    {
        let stream = stream()
        let subscription = stream.subscription()
        post(1, 2, 3)
        for try await number in subscription {
            heard.append(number)
            if number == 2 { break }
        }
        #expect(heard.value == [1, 2])
        let count = transforms.value
        post(4)
        #expect(transforms.value == count)
    }

    @Test func `canceling a loop's task removes the observer`() async {
        let stream = stream()
        let loop = Task { [heard] in for try await number in stream.values { heard.append(number) } }
        await until { stream.core.subscriberCount == 1 }
        post(1)
        loop.cancel()
        await #expect(throws: CancellationError.self) { try await loop.value }
        let count = transforms.value
        post(2)
        #expect(transforms.value == count)
    }

    @Test func `with an object only its notifications are received`() {
        let (mine, other) = (Sender(), Sender())
        let stream = stream(object: mine)
        listen(to: stream)
        post(1, from: mine)
        post(2, from: other)
        post(3)
        #expect(heard.value == [1])
    }

    @Test func `the object is not kept alive: after its release, a new subscription finishes the stream`() {
        var sender: Sender? = Sender()
        weak let weakSender = sender
        let stream = stream(object: sender)
        let token = CancelToken()
        listen(to: stream, cancelToken: token)
        post(1, from: sender)
        sender = nil
        #expect(weakSender == nil)
        #expect(!stream.isFinished)
        token.cancel()
        listen(to: stream)
        #expect(stream.isFinished)
        post(2)
        #expect(heard.value == [1])
    }

    @Test func `a stream whose object is released before the first subscription finishes`() {
        var sender: Sender? = Sender()
        let stream = stream(object: sender)
        sender = nil
        let ends = Box(0)
        stream.onFinish(context: ImmediateContext()) { ends.change { $0 += 1 } }
        listen(to: stream)
        #expect(stream.isFinished)
        #expect(ends.value == 1)
    }

    @Test func `subscribing on several threads leaves at most one observer`() {
        let stream = stream()
        for _ in 0..<1_000 {
            let tokens = [CancelToken(), CancelToken()]
            for token in tokens { listen(to: stream, cancelToken: token) }
            for token in tokens { token.cancel() }
        }
        post(1)
        #expect(transforms.value == 0)
        listen(to: stream)
        post(2)
        #expect(transforms.value == 1)
    }

    @Test func `posts from several threads arrive one at a time, each once`() async {
        let stream = stream()
        listen(to: stream)
        await withTaskGroup { group in
            for thread in 0..<4 {
                group.addTask { [center] in
                    for number in 0..<250 {
                        center.post(name: .step, object: nil, userInfo: ["number": 1_000 * thread + number])
                    }
                }
            }
        }
        await until { heard.value.count == 1_000 }
        for thread in 0..<4 {
            #expect(heard.value.filter { $0 / 1_000 == thread } == (0..<250).map { 1_000 * thread + $0 })
        }
    }

    // MARK: The end

    @Test(arguments: [0, 1]) func `a token ends it before it starts, while it runs, and after the end`(_ capacity: Int)
    {
        let token = CancelToken()
        let stream = stream(capacity: capacity, cancelToken: token)
        listen(to: stream)
        post(1)
        token.cancel()
        #expect(stream.isCancelled)
        post(2)
        let late = self.stream(capacity: capacity, cancelToken: token)
        #expect(late.isCancelled)
        listen(to: late)
        post(3)
        token.cancel()
        #expect(heard.value == [1])
        #expect(transforms.value == 1)
    }

    @Test func `a token can be canceled inside the closure and inside a callback`() {
        for isInClosure in [true, false] {
            let token = CancelToken()
            let stream = center.notifications(named: .step, capacity: 0, cancelToken: token) { notification -> Int? in
                if isInClosure { token.cancel() }
                return notification.userInfo?["number"] as? Int
            }
            stream.onSuccess(context: ImmediateContext()) { [heard] number in
                heard.append(number)
                token.cancel()
            }
            post(1, 2)
        }
        #expect(heard.value == [1])
    }

    @Test(arguments: ["dropped", "token", "left", "never listened"])
    func `all captures are released, whatever the end`(way: String) {
        weak var probe: Probe?
        let token = CancelToken()
        let leave = CancelToken()
        do {
            let captured = Probe()
            probe = captured
            let capacity = way == "dropped" ? 1 : 0
            let stream = center.notifications(named: .step, capacity: capacity, cancelToken: token) { _ -> Int? in
                captured.use()
                return 1
            }
            if way == "token" || way == "left" {
                stream.onSuccess(context: ImmediateContext(), cancelToken: leave) { _ in captured.use() }
            }
        }
        if way == "token" || way == "left" { #expect(probe != nil) }
        if way == "token" { token.cancel() }
        if way == "left" { leave.cancel() }
        #expect(probe == nil, "\(way)")
    }
}

private final class Sender: Sendable {}

extension Notification.Name {
    fileprivate static let step = Notification.Name("SimpleFuturesFoundationTests.step")
}
