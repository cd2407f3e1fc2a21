import Foundation
import Testing
@testable import TestSupport

/// Declarations and references without a call that are common in code for SimpleFutures 0.2.
@Suite("A Swift 5 client: own declarations of the library's names", .compiler, .watchdog)
struct OwnNamesTests {
    @Test func `an app's own helpers that complete at most once are preferred`() async throws {
        let own = """
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
            """
        #expect(try await Compiler.typeCheck(own).map(\.description) == [])
    }

    @Test func `promises' completeWith can be referred to without a call`() async throws {
        let references = """
            import SimpleFutures
            func use(_ promise: Promise<Int>, _ emitter: StreamPromise<Int>) {
                let complete = promise.completeWith(context:future:)
                complete(ImmediateContext(), Future(value: 1))
                let emit = emitter.completeWith(context:future:)
                emit(ImmediateContext(), Future(value: 1))
                let emitAll = emitter.completeWith(context:stream:)
                emitAll(ImmediateContext(), FutureStream(value: 1))
            }
            """
        #expect(try await Compiler.typeCheck(references).map(\.description) == [])
    }

    @Test func `extensions of streams can call functions of the system`() async throws {
        let own = """
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
            """
        #expect(try await Compiler.typeCheck(own).map(\.description) == [])
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
