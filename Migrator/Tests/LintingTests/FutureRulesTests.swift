import Linting
import Testing

@Suite struct `Rules on futures` {
    private func lines(_ rule: Rule, _ text: String) -> [Int] {
        LintingTests.lines(of: rule, in: "import SimpleFutures\n" + text)
    }

    @Test func `A result that onComplete passes on is found`() {
        #expect(
            lines(
                .forwardedResult,
                """
                func load(completion: @escaping (Int?, (any Error)?) -> Void) {
                    load().onComplete { completion($0.value, $0.error) }
                }
                """) == [3])
        #expect(
            lines(
                .forwardedResult,
                """
                func load(then completion: @escaping Handler) {
                    load().onComplete(context: queue) { result in
                        switch result {
                        case .success(let value): completion(value, nil)
                        case .failure(let error): completion(nil, error)
                        }
                    }
                }
                """) == [3])
        #expect(
            lines(
                .forwardedResult, "func load(done: ((Int) -> Void)?) {\nload().onComplete { done?($0.value ?? 0) }\n}")
                == [3])
    }

    @Test func `A pair of callbacks that pass the result on is found, unless there is one for cancellations`() {
        let function = "func load(completion: @escaping (Int?, (any Error)?) -> Void) {\n"
        let pair = "load()\n.onSuccess { completion($0, nil) }\n.onFailure { completion(nil, $0) }"
        #expect(lines(.forwardedResult, function + pair + "\n}") == [5])
        #expect(lines(.forwardedResult, function + pair + "\n.onCancel { completion(nil, nil) }\n}") == [])
        let logged = "load().onSuccess { completion($0, nil) }.onFailure { log($0) }"
        #expect(lines(.forwardedResult, function + logged + "\n}") == [])
    }

    @Test func `A callback that does more is fine`() {
        #expect(
            lines(
                .forwardedResult,
                "func load(completion: @escaping (Int) -> Void) {\nload().onComplete { show($0); completion(1) }\n}")
                == [])
        #expect(lines(.forwardedResult, "func load() {\nload().onComplete { show($0.value, $0.error) }\n}") == [])
    }

    @Test func `A promise that only gives its future away is found`() {
        #expect(
            lines(
                .droppedPromise, "func load() -> Future<Int> {\nlet promise = Promise<Int>()\nreturn promise.future\n}")
                == [3])
        #expect(lines(.droppedPromise, "func load() -> Future<Int> { Promise<Int>().future }") == [2])
        #expect(
            lines(
                .droppedPromise,
                "func all() -> FutureStream<Int> {\nlet promise = StreamPromise<Int>(capacity: 1)\nreturn promise.stream\n}"
            )
                == [3])
    }

    @Test func `A promise that something can complete is fine`() {
        #expect(
            lines(
                .droppedPromise,
                """
                func load() -> Future<Int> {
                    let promise = Promise<Int>()
                    service.load { promise.success($0) }
                    return promise.future
                }
                func stored() -> Future<Int> {
                    let promise = Promise<Int>()
                    pending[1] = promise
                    return promise.future
                }
                func captured() -> Future<Int> {
                    let promise = Promise<Int>()
                    service.load { [promise] in $0.finish(promise) }
                    return promise.future
                }
                final class Login {
                    let promise = Promise<Int>()
                    var future: Future<Int> { promise.future }
                }
                """) == [])
    }

    @Test func `A promise of another library is no business of ours`() {
        let text =
            "import PromiseKit\nfunc load() -> Promise<Int> { let promise = Promise<Int>(); return promise.future }"
        #expect(LintingTests.lines(of: .droppedPromise, in: text) == [])
        #expect(LintingTests.lines(of: .droppedPromise, in: text, assumesImport: true) == [2])
    }

    @Test func `The owner of a token that only the function holds is found`() {
        #expect(
            lines(
                .droppedToken,
                "func show() {\nlet life = OwnedToken()\nload(cancelToken: life.token).onSuccess { use($0) }\n}")
                == [3])
        #expect(lines(.droppedToken, "func show() {\nlet life = OwnedToken.init()\nload(life.token)\n}") == [3])
        #expect(lines(.droppedToken, "func show() { load(cancelToken: OwnedToken(parent: t).token) }") == [2])
    }

    @Test func `The owner of a token that is kept, or that outlives an await, is fine`() {
        for kept in [
            "class Screen {\nprivate let life = OwnedToken()\nfunc show() { load(life.token) }\n}",
            "func show() {\nlet life = OwnedToken()\nload(life.token)\nself.life = life\n}",
            "func show() -> OwnedToken {\nlet life = OwnedToken()\nload(life.token)\nreturn life\n}",
            "func show() {\nlet life = OwnedToken()\nload(life.token).onSuccess { [life] in use($0, life.token) }\n}",
            "func show() {\nlet life = OwnedToken()\nload(life.token).onSuccess { use($0, life.token) }\n}",
            "func show() async throws {\nlet life = OwnedToken()\ntry await load(life.token).value\n}",
            "func show() {\nlet life = OwnedToken()\nfunc load() { get(life.token) }\nbutton.action = load\n}",
        ] {
            #expect(lines(.droppedToken, kept) == [])
        }
        let text = "func f() {\nlet life = OwnedToken()\nload(life.token)\n}"
        #expect(lines(.droppedToken, "import Testing\n" + text) == [])
    }

    @Test func `A wait for a future on the main actor is found`() {
        #expect(lines(.mainActorWait, "@MainActor func show() throws {\nuse(try load().wait())\n}") == [3])
        #expect(
            lines(
                .mainActorWait,
                "final class Screen: UIViewController, Sorting {\nfunc show() {\nlet a = try? load().wait(timeout: .seconds(1))\n}\n}"
            ) == [4])
        #expect(lines(.mainActorWait, "@MainActor struct Screen {\nvar name: String { try! load().wait() }\n}") == [3])
    }

    @Test func `A wait elsewhere, or for something else, is fine`() {
        for text in [
            "func main() throws { print(try load().wait()) }",
            "@MainActor class Screen {\nnonisolated func read() throws -> Int { try load().wait() }\n}",
            "@MainActor func show() { queue.async { use(try! load().wait()) } }",
            "@MainActor func show() { semaphore.wait(); group.wait(timeout: .now()) }",
            "@MainActor func show() throws { try process.wait(until: .exit) }",
            "import XCTest\n@MainActor func show() throws { try load().wait() }",
            "@MainActor func show() async throws { try await device.wait() }",
            "@MainActor class Screen {\nstruct Job {\nfunc run() throws { try load().wait() }\n}\n}",
            "class Screen: UIView {\nactor Job {\nfunc run() throws { try load().wait() }\n}\n}",
            "@MainActor class Screen {\n@DiskActor func read() throws { try load().wait() }\n}",
            "@MainActor class Screen {\ndeinit { _ = try? load().wait() }\n}",
        ] {
            #expect(lines(.mainActorWait, text) == [])
        }
    }

    @Test func `A timeout in a retry that leaves the attempt running is found`() {
        #expect(lines(.retryTimeout, "let a = Future.retry(3) { load().timeout(.seconds(5)) }") == [2])
        #expect(
            lines(
                .retryTimeout,
                "let a = Future.retry(3) {\nlet t = CancelToken()\nreturn load(t).timeout(.seconds(5), cancelling: t)\n}"
            )
                == [])
        #expect(lines(.retryTimeout, "let a = Future.retry(3) { load() }.timeout(.seconds(5))") == [])
    }

    @Test func `A stream without a capacity in a view model is found`() {
        #expect(
            lines(.unboundedStream, "@MainActor final class Screen {\nlet names = StreamPromise<String>()\n}") == [3])
        #expect(lines(.unboundedStream, "final class ListModel {\nlet names: StreamPromise<Int> = .init()\n}") == [3])
        #expect(
            lines(.unboundedStream, "@Observable class Screen {\nprivate let names = StreamPromise<Int>()\n}") == [3])
        #expect(
            lines(
                .unboundedStream,
                "class Screen: ObservableObject {\nlet names: StreamPromise<Int>\ninit() {\nnames = StreamPromise()\n}\n}"
            )
                == [5])
    }

    @Test func `A stream with a capacity, or elsewhere, is fine`() {
        #expect(lines(.unboundedStream, "class ListModel {\nlet names = StreamPromise<Int>(capacity: 1)\n}") == [])
        #expect(lines(.unboundedStream, "final class FileReader {\nlet pieces = StreamPromise<Int>()\n}") == [])
        #expect(
            lines(
                .unboundedStream,
                "class ListModel {\nvar all: Future<Int> { let s = StreamPromise<Int>(); return read(s) }\n}") == [])
    }

    @Test func `A promise that a test breaks, or whose future stays here, is fine`() {
        let text = "func load() -> Future<Int> {\nlet promise = Promise<Int>()\nreturn promise.future\n}"
        #expect(lines(.droppedPromise, "import Testing\n" + text) == [])
        #expect(
            lines(
                .droppedPromise,
                "func f() {\nlet never = Promise<Int>()\nlet late = never.future.timeout(d)\nuse(late)\n}")
                == [])
        #expect(lines(.droppedPromise, "func none() -> [FutureStream<Int>] { [StreamPromise<Int>().stream] }") == [])
        #expect(
            lines(
                .droppedPromise, "func f() async throws {\nlet p = Promise<Int>()\nprint(try await p.future.value)\n}")
                == [3])
    }

    @Test func `A type that is a future itself passes callbacks on`() {
        #expect(
            lines(
                .forwardedResult,
                "func onComplete(completion: @escaping (Try<Int>) -> Void) {\nfuture.onComplete(completion: completion)\n}"
            )
                == [])
    }
}
