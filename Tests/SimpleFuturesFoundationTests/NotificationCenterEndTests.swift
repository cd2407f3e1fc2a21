import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("The end of a stream of notifications", .watchdog)
struct NotificationCenterEndTests {
    private let center = NotificationCenter()
    private let heard = Box<[Int]>([])
    private let transforms = Box(0)

    private func stream(
        object: Sender? = nil, capacity: Int = 0, cancelToken: CancelToken = .none
    ) -> FutureStream<Int> {
        center.notifications(named: .step, object: object, capacity: capacity, cancelToken: cancelToken) {
            [transforms] notification in
            transforms.change { $0 += 1 }
            return notification.userInfo?["number"] as? Int
        }
    }

    private func post(_ numbers: Int..., from sender: Sender? = nil) {
        for number in numbers { center.post(name: .step, object: sender, userInfo: ["number": number]) }
    }

    private func listen(to stream: FutureStream<Int>, cancelToken: CancelToken = .none) {
        stream.onSuccess(context: ImmediateContext(), cancelToken: cancelToken) { [heard] in heard.append($0) }
    }

    @Test(arguments: [0, 1]) func `a token ends it: before, while it runs, and after the end`(_ capacity: Int) {
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

    @Test func `a token that is cancelled inside of the closure, and of a callback`() {
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

    @Test func `all that is captured is released, whichever way it ends`() {
        for way in ["dropped", "token", "left", "never listened"] {
            weak var probe: Probe?
            let token = CancelToken()
            let leave = CancelToken()
            do {
                let captured = Probe()
                probe = captured
                let stream = center.notifications(named: .step, capacity: way == "dropped" ? 1 : 0, cancelToken: token)
                {
                    _ -> Int? in
                    captured.touch()
                    return 1
                }
                if way == "token" || way == "left" {
                    stream.onSuccess(context: ImmediateContext(), cancelToken: leave) { _ in captured.touch() }
                }
            }
            if way == "token" || way == "left" { #expect(probe != nil) }
            if way == "token" { token.cancel() }
            if way == "left" { leave.cancel() }
            #expect(probe == nil, "\(way)")
        }
    }
}
