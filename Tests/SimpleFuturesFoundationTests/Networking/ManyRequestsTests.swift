import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Many requests", .watchdog, .serialized) struct ManyRequestsTests {
    // In a separate process, in which no other code opens descriptors.
    @Test(arguments: [false, true])
    func `three hundred requests or bodies, 16 in flight, leave nothing behind`(areBodies: Bool) async {
        await #expect(processExitsWith: .success) { [areBodies] in
            QueueContext.futuresDefault = QueueContext.global
            let server = HTTPServer { .text(String(repeating: $0.path, count: 4_000)) }
            let before = openDescriptors().count
            weak var tokenAtTheEnd: CancelToken?
            do {
                let (test, token) = (TestSession(), CancelToken())
                tokenAtTheEnd = token
                let requests = (0..<300).map { server.request("/\($0)") }
                let answers = try await requests.traverse(maxConcurrent: 16) { request in
                    let data =
                        areBodies
                        ? wholeBody(for: request, in: test.session, token)
                        : test.session.dataFuture(for: request, cancelToken: token).validate().map { $0.0 }
                    return data.map { String(decoding: $0, as: UTF8.self) }
                }.value
                precondition(answers == (0..<300).map { String(repeating: "/\($0)", count: 4_000) })
                // The session removes a task after its handler has run.
                while !areBodies, await hasTasks(test.session) {}
            }
            // The thread of the last callback may not have released it yet.
            let isReleased = await eventually { tokenAtTheEnd == nil }
            precondition(isReleased)
            try await server.waitUntil { $0.openConnections == 0 }
            // A session keeps some descriptors open.
            await expectDescriptors(since: before, atMost: areBodies ? 31 : 23)
        }
    }

    @Test func `requests canceled at any moment have one result each`() async throws {
        let server = HTTPServer { _ in .text("hello") }
        let session = URLSession.shared
        for round in 0..<20 {
            let tokens = (0..<16).map { _ in CancelToken() }
            let futures = tokens.map { session.dataFuture(from: server.url(), cancelToken: $0) }
            let bodies = tokens.map { session.body(for: server.request(), capacity: 0, cancelToken: $0) }
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

private func hasTasks(_ session: URLSession) async -> Bool {
    await withCheckedContinuation { done in session.getAllTasks { done.resume(returning: !$0.isEmpty) } }
}

private func wholeBody(for request: URLRequest, in session: URLSession, _ token: CancelToken) -> Future<Data> {
    Future(cancelToken: token) {
        let (body, _) = try await session.body(for: request, capacity: 0, cancelToken: token).value
        return try await Data(joining: everything(in: body.values))
    }
}
