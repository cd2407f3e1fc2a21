import Foundation
import SimpleFutures
import SimpleFuturesInterop

#if canImport(SimpleFuturesFoundation)
import SimpleFuturesFoundation
#endif

// A client that is compiled in every mode: one of each bridge, both ways.

enum LoadError: Error { case missing }

/// A function with a completion handler, which the client wraps.
func load(_ id: Int, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
    DispatchQueue.global().async {
        if id > 0 { completion("profile \(id)", nil) } else { completion(nil, LoadError.missing) }
    }
}

/// A view model as apps have it: its closures touch its state.
@MainActor
final class ProfileModel {
    private(set) var name = ""
    private(set) var steps = 0
    private let token = CancelToken()

    func start(_ stream: FutureStream<Int>) -> Future<Void> {
        let profile: Future<String?> = future { completion in load(2, completion: completion) }
        profile.onSuccess(isolated: { self.name = $0 ?? "" })
        profile.onFailure(isolated: { self.name = "\($0)" })
        stream.onSuccess(cancelToken: token, isolated: { self.steps += $0 })
        let ended = Promise<Void>()
        stream.onFinish(isolated: {
            MainActor.assertIsolated()
            ended.success()
        })
        return ended.future
    }

    func greet(completion: @escaping @MainActor @Sendable (String?, (any Error)?) -> Void) {
        callback(completion) { self.name + "!" }
    }
}

/// The same on an actor.
actor Counter {
    private(set) var sum = 0

    func follow(_ stream: FutureStream<Int>) -> Future<Int> {
        let answer = Promise<Int>()
        stream.onSuccess(isolated: { self.sum += $0 })
        stream.onFinish(isolated: { answer.success(self.sum) })
        return answer.future
    }
}

#if canImport(ObjectiveC)
/// A class with a property that supports key-value observing.
@MainActor
final class WebView: NSObject {
    @objc dynamic var estimatedProgress = 0.0
}

/// As on the page FoundationCalls, where it is WebKit's class.
@MainActor
func progress(of webView: WebView) -> FutureStream<Double> {
    FutureStream(capacity: 1, isolated: { emitter in
        let observation = webView.observe(
            \.estimatedProgress, options: [.initial, .new]
        ) { @Sendable _, change in
            if let value = change.newValue { emitter.success(value) }
        }
        return CancelAction(isolated: { observation.invalidate() })
    })
}
#endif

@main
struct Client {
    @MainActor static func main() async throws {
        // A completion handler as a future, awaited.
        let profile: Future<String?> = future { load(1, completion: $0) }
        guard try await profile.value == "profile 1" else { fatalError("a value is lost") }
        let missing: Future<String?> = future { load(0, completion: $0) }
        guard case .failure(LoadError.missing) = await missing.outcome else { fatalError("an error is lost") }

        // A chain, and a task as a future.
        let length = profile.map { $0?.count ?? 0 }
        guard try await length.value == 9 else { fatalError("a link is lost") }
        let task = Future<Int> { try await length.value + 1 }
        guard try await task.value == 10 else { fatalError("a task is lost") }

        // A stream, looped over.
        let promise = StreamPromise<Int>(capacity: 3)
        promise.success(1)
        promise.success(2)
        promise.finish()
        var sum = 0
        for try await number in promise.stream.values { sum += number }
        guard sum == 3 else { fatalError("an element is lost") }

        // A sequence as a stream.
        let numbers = AsyncStream<Int> { continuation in
            continuation.yield(5)
            continuation.finish()
        }
        for await result in numbers.futureStream(capacity: 1).results {
            guard case .success(5) = result else { fatalError("an element of a sequence is lost") }
        }

        // Tokens.
        let token = CancelToken()
        let idle = Future<Int>()
        let wait = Task { try await token.run { try await idle.value } }
        token.cancel()
        guard case .failure = await wait.result else { fatalError("a cancellation is lost") }

        // The way back.
        let answer = Promise<Int?>()
        callback({ (value: Int?, _: (any Error)?) in answer.success(value) }) { try await length.value }
        guard try await answer.future.value == 9 else { fatalError("a callback is lost") }

        // Closures that belong to an actor.
        let steps = StreamPromise<Int>(capacity: 3)
        let model = ProfileModel()
        let (followed, counted) = (model.start(steps.stream), await Counter().follow(steps.stream))
        steps.success(3)
        steps.success(4)
        steps.finish()
        try await followed.value
        guard model.steps == 7, try await counted.value == 7 else { fatalError("an isolated element is lost") }
        while model.name.isEmpty { await Task.yield() }
        let greeting = Promise<String?>()
        model.greet { name, _ in greeting.success(name) }
        guard try await greeting.future.value == "profile 2!" else { fatalError("an isolated callback is lost") }
        print("all is well")
    }
}
