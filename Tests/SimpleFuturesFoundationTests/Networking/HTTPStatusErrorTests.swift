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

@Suite("Validation of the status", .watchdog) struct HTTPStatusErrorTests {
    let test = TestSession()
    var session: URLSession { test.session }

    @Test(arguments: [200, 204, 299])
    func `validate passes accepted responses on`(status: Int) async throws {
        let server = try HTTPServer { _ in .fixed(status: status) }
        let (_, response) = try await session.dataFuture(from: server.url("/"), cancelToken: .none).validate().value
        #expect((response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test(arguments: [300, 404, 500])
    func `validate fails with the status and the body`(status: Int) async throws {
        let server = try HTTPServer { _ in .text("the reason", status: status) }
        let future = session.dataFuture(from: server.url("/place"), cancelToken: .none).validate()
        let error = await #expect(throws: HTTPStatusError.self) { try await future.value }
        #expect(error?.statusCode == status)
        #expect(error?.body == Data("the reason".utf8))
        #expect(error?.description.contains("\(status)") == true)
        #expect(error?.localizedDescription.contains("/place: the reason") == true)
    }

    @Test func `validate accepts other status codes`() async throws {
        let server = try HTTPServer { _ in .fixed(status: 304) }
        let future = session.dataFuture(from: server.url("/"), cancelToken: .none)
        _ = try await future.validate(statusCodes: 200..<400).value
        await #expect(throws: HTTPStatusError.self) { try await future.validate(statusCodes: 200..<201).value }
    }

    @Test func `validate passes errors and responses without a status on`() async throws {
        let response = URLResponse(
            url: URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let file = Future<(Data, URLResponse)>(value: (Data(), response))
        #expect(try await file.validate().value.1 === response)
        let failed = Future<(Data, URLResponse)>(error: URLError(.notConnectedToInternet))
        await #expect(throws: URLError.self) { try await failed.validate().value }
    }

    @Test func `validate is canceled by its token`() async throws {
        let future = Future<(Data, URLResponse)>()
        let token = CancelToken()
        let validated = future.validate(cancelToken: token)
        token.cancel()
        #expect(validated.isCancelled && !future.isCancelled)
    }

    @Test func `validate of a body waits for the body of an error`() async throws {
        let writer = BodyWriter("first, ")
        let server = try HTTPServer { _ in .written(by: writer, status: 500) }
        let future = session.body(for: server.request("/"), capacity: 0).validate()
        writer.write("second")
        writer.finish()
        let error = await #expect(throws: HTTPStatusError.self) { try await future.value }
        #expect(error?.body == Data("first, second".utf8))
    }

    @Test func `validate of a body waits for at most a megabyte`() async throws {
        let server = try HTTPServer { _ in .pattern(count: 3_000_000, status: 500, chunked: true) }
        let future = session.body(for: server.request("/"), capacity: 0).validate()
        let error = await #expect(throws: HTTPStatusError.self) { try await future.value }
        #expect(error?.body.count == 1 << 20)
        #expect(HTTPPattern.matches(error?.body ?? Data()))
        try await server.nextClientClose()
    }

    @Test func `validate of a body passes accepted responses on`() async throws {
        let server = try HTTPServer { _ in .text("hello") }
        let (body, _) = try await session.body(for: server.request("/"), capacity: 0).validate().value
        #expect(try await Data(joining: everything(in: body.values)) == Data("hello".utf8))
    }
}

@Suite("Errors of the library, localized", .watchdog)
struct LocalizedErrorTests {
    @Test(arguments: [FuturesError.timedOut, .noSuchElement, .brokenPromise(createdAt: CreationSite())])
    func `an alert shows the error and what to do`(_ error: FuturesError) {
        let error: any Error = error
        #expect(error.localizedDescription == "\(error)")
    }
    @Test func `for a future with typed errors the original error is shown`() {
        let refused: any Error = Stopped<URLError>.failed(URLError(.notConnectedToInternet))
        #expect(refused.localizedDescription == URLError(.notConnectedToInternet).localizedDescription)
        let late: any Error = Stopped<URLError>(other: FuturesError.timedOut)
        #expect(late.localizedDescription == "\(FuturesError.timedOut)")
    }
}
