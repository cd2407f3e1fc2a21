import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
@testable import TestSupport

@Suite("Many requests", .watchdog, .serialized) struct ManyRequestsTests {
    // In separate processes, in which no other code opens descriptors.

    @Test func `a thousand requests, 16 in flight, leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            QueueContext.futuresDefault = QueueContext.global
            let server = try HTTPServer { .text($0.path) }
            let requests = (0..<1_000).map { server.request("/\($0)") }
            let before = openDescriptors().count
            weak var tokenAtTheEnd: CancelToken?
            do {
                let test = TestSession()
                let token = CancelToken()
                tokenAtTheEnd = token
                let answers = try await requests.traverse(maxConcurrent: 16) { request in
                    test.session.dataFuture(for: request, cancelToken: token).validate().map {
                        String(decoding: $0.0, as: UTF8.self)
                    }
                }.value
                precondition(answers == (0..<1_000).map { "/\($0)" })
                // The session removes a task after its handler has run.
                var tasks = 1
                while tasks > 0 {
                    tasks = await withCheckedContinuation { continuation in
                        test.session.getAllTasks { continuation.resume(returning: $0.count) }
                    }
                }
            }
            // The thread of the last callback may not have released it yet.
            let isReleased = await eventually { tokenAtTheEnd == nil }
            precondition(isReleased)
            try await server.waitUntil { $0.openConnections == 0 }
            // A session keeps some descriptors open.
            await expectDescriptors(since: before, atMost: 23)
        }
    }

    @Test func `a thousand bodies, 16 in flight, leave nothing behind`() async {
        await #expect(processExitsWith: .success) {
            QueueContext.futuresDefault = QueueContext.global
            let server = try HTTPServer { _ in .pattern(count: 20_000) }
            let before = openDescriptors().count
            do {
                let test = TestSession()
                let token = CancelToken()
                let sizes = try await (0..<1_000).map { server.request("/\($0)") }
                    .traverse(maxConcurrent: 16) { request in
                        Future(cancelToken: token) {
                            var size = 0
                            let head = test.session.body(for: request, capacity: 0, cancelToken: token)
                            for try await piece in try await head.value.0.values { size += piece.count }
                            return size
                        }
                    }.value
                precondition(sizes == Array(repeating: 20_000, count: 1_000))
            }
            try await server.waitUntil { $0.openConnections == 0 }
            await expectDescriptors(since: before, atMost: 31)
        }
    }

    @Test func `requests canceled at any moment have one result each`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let session = URLSession.shared
        for round in 0..<20 {
            let tokens = (0..<16).map { _ in CancelToken() }
            let futures = tokens.map { session.dataFuture(from: server.url("/"), cancelToken: $0) }
            let bodies = tokens.map { session.body(for: server.request("/"), capacity: 0, cancelToken: $0) }
            for (index, token) in tokens.enumerated() {
                DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(index * round * 20)) {
                    token.cancel()
                }
            }
            for future in futures { _ = await future.outcome }
            for body in bodies { _ = await body.outcome }
        }
    }
}
