import Foundation
import Testing
@testable import TestSupport

/// Declarations and references without a call that are common in code for SimpleFutures 0.2.
@Suite("A Swift 5 client: own declarations of the library's names", .compiler, .watchdog)
struct OwnNamesTests {
    private static let sources = [
        "an app's own helpers that complete at most once": """
        import SimpleFutures
        extension Future {
            func tryComplete(_ result: Try<T>) { if !completed { complete(result) } }
            func trySuccess(_ value: T) { tryComplete(Try(value)) }
            func tryFailure(_ error: Error) { tryComplete(Try(error)) }
        }
        extension Promise {
            func tryComplete(_ result: Try<T>) { future.tryComplete(result) }
            func trySuccess(_ value: T) { tryComplete(Try(value)) }
            func tryFailure(_ error: Error) { tryComplete(Try(error)) }
        }
        func use(_ future: Future<Int>, _ promise: Promise<Int>, _ error: Error) {
            future.trySuccess(1)
            future.tryFailure(error)
            promise.trySuccess(1)
            promise.tryFailure(error)
        }
        """,
        "an app's own declarations with the names of hints": """
        import SimpleFutures
        import SimpleFuturesInterop
        extension Futurable {
            func then<Result>(_ body: @escaping (T) throws -> Result) -> Int { return 1 }
            func get() throws -> T { return try result!.get() }
        }
        extension Future {
            var error: Error? { return result?.error }
            convenience init(result: Result<T, Error>) { self.init { $0(Try(result)) } }
        }
        extension Promise {
            func fulfill(_ value: T) { success(value) }
        }
        func use(_ future: Future<Int>, _ promise: Promise<Int>) throws -> Int {
            print(future.error!, Future(result: Result<Int, Error>.success(1)))
            promise.fulfill(try future.get())
            return future.then { $0 }
        }
        """,
        "references to completeWith without a call": """
        import SimpleFutures
        func use(_ promise: Promise<Int>, _ emitter: StreamPromise<Int>) {
            let complete = promise.completeWith(context:future:)
            complete(ImmediateContext(), Future(value: 1))
            let emit = emitter.completeWith(context:future:)
            emit(ImmediateContext(), Future(value: 1))
            let emitAll = emitter.completeWith(context:stream:)
            emitAll(ImmediateContext(), FutureStream(value: 1))
        }
        """,
        "extensions of streams that call functions of the system": """
        import Foundation
        import SimpleFutures
        extension FutureStream {
            static func descriptor(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>) -> FutureStream<Int32> {
                return FutureStream<Int32>(value: bind(descriptor, address, 16))
            }
        }
        extension StreamPromise where T == Int32 {
            func emitConnection(of descriptor: Int32) { success(accept(descriptor, nil, nil)) }
        }
        """,
    ]

    @Test(arguments: sources.keys.sorted())
    func `an app's own declarations are preferred, and compile without a diagnostic`(_ name: String) async throws {
        #expect(try await Compiler.typeCheck(Self.sources[name] ?? name).map(\.description) == [])
    }

    @Test func `an app that made DispatchQueue a context gets a warning, and no error`() async throws {
        let own = """
            import Dispatch
            import SimpleFutures
            extension DispatchQueue: ExecutionContext {
                public func execute(_ task: @escaping @Sendable () -> Void) { async(execute: task) }
            }
            func use(_ queue: DispatchQueue, _ future: Future<Int>) {
                queue.execute { print(1) }
                future.onSuccess(context: queue) { print($0) }
            }
            """
        let said = try await Compiler.typeCheck(own)
        #expect(said.filter { $0.severity == "error" }.map(\.description) == [])
        #expect(said.contains { $0.message.contains("was already stated") })
    }
}
