import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Contents of a dump", .watchdog)
struct MirrorTests {
    @Test func `of a future`() {
        let future = Future<Int>()
        future.onSuccess(context: immediate) { _ in }
        #expect(dumped(future) == ["result: nil", "isCancelled: false", "waiting: 1"])
        future.success(3)
        #expect(
            dumped(future) == [
                "result: Optional(SimpleFutures.Try<Swift.Int>.success(3))", "isCancelled: false", "waiting: 0",
            ])
    }

    @Test func `of a promise and a creation site`() {
        let promise = Promise<Int>(fileID: "App/Profile.swift", line: 3)
        promise.success(3)
        #expect(dumped(promise) == ["future: Future<Int>(success(3))", "createdAt: App/Profile.swift:3"])
        let site = CreationSite(fileID: "App/Profile.swift", line: 3)
        #expect(dumped(site) == ["fileID: \"App/Profile.swift\"", "line: 3"])
    }

    @Test func `of a stream`() {
        let promise = StreamPromise<Int>(capacity: 2, fileID: "App/Profile.swift", line: 3)
        promise.stream.onSuccess(context: immediate) { _ in }
        for value in 1...3 { promise.success(value) }
        #expect(
            dumped(promise.stream) == [
                "kept: [SimpleFutures.Try<Swift.Int>.success(2), SimpleFutures.Try<Swift.Int>.success(3)]",
                "subscribed: 1", "isFinished: false", "isCancelled: false",
            ])
        #expect(
            dumped(promise) == [
                "stream: \(promise.stream.debugDescription)", "createdAt: Optional(App/Profile.swift:3)",
            ])
    }

    @Test func `of a token`() {
        let token = CancelToken()
        let handler = token.onCancel {}
        #expect(token.debugDescription == "CancelToken(1 registered)")
        handler.cancel()
        token.cancel()
        #expect(token.debugDescription == "CancelToken(cancelled)")
        #expect(CancelToken.none.debugDescription == "CancelToken.none")
    }

    @Test func `of a manual context`() {
        let context = ManualContext()
        context.execute {}
        context.execute(after: .seconds(1)) {}
        #expect(context.debugDescription == "ManualContext(now: 0.0 seconds, 1 to run, 1 timers)")
    }

    private func dumped(_ one: Any) -> [String] {
        Mirror(reflecting: one).children.map { "\($0.label ?? ""): \(String(reflecting: $0.value))" }
    }
}
