import Foundation
import SimpleFutures
import SimpleFuturesFoundation
import SimpleFuturesInterop
import Testing
@testable import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Validation of the status", .watchdog) struct HTTPStatusErrorTests {
    let test = TestSession()
    var session: URLSession { test.session }

    @Test(arguments: [200, 204, 299, 300, 304, 404, 500])
    func `validate passes accepted responses on; others fail with the status and the body`(status: Int) async throws {
        let body = [204, 304].contains(status) ? "" : "the reason"
        let server = HTTPServer { _ in .fixed(status: status, body: Data(body.utf8)) }
        let future = session.dataFuture(from: server.url("/place"))
        for accepted in [200..<300, 200..<400, 200..<201] {
            let validated = accepted == 200..<300 ? future.validate() : future.validate(statusCodes: accepted)
            guard !accepted.contains(status) else {
                let (data, response) = try await validated.value
                #expect((response as? HTTPURLResponse)?.statusCode == status && data == Data(body.utf8))
                continue
            }
            let error = await #expect(throws: HTTPStatusError.self) { try await validated.value }
            #expect(error?.statusCode == status && error?.body == Data(body.utf8))
            #expect(error?.description.contains("\(status)") == true)
            let end = body.isEmpty ? "/place" : "/place: the reason"
            #expect(error?.localizedDescription.hasSuffix(end) == true)
        }
    }

    @Test func `a status that is not accepted deletes the file of a download`() async throws {
        let folder = try Folder()
        let server = HTTPServer { _ in .text("not here", status: 404) }
        let target = folder.url.appendingPathComponent("file")
        let error = await #expect(throws: HTTPStatusError.self) {
            try await session.downloadFuture(from: server.url(), to: target).validate().value
        }
        #expect(error?.statusCode == 404)
        #expect(error?.body == Data("not here".utf8))
        #expect(!folder.has("file"))
        let accepted = session.downloadFuture(from: server.url(), to: target).validate(statusCodes: 400..<500)
        #expect(try await accepted.value.0 == target && folder.has("file"))
    }

    @Test func `a download with accepted status codes leaves the old file alone at other ones`() async throws {
        let server = HTTPServer { $0.path == "/new" ? .text("new") : .text("not here", status: 404) }
        let folder = try Folder()
        let target = URL(fileURLWithPath: try folder.file(Data("old".utf8), name: "file"))
        for destination in [target, nil] {
            let error = await #expect(throws: HTTPStatusError.self) {
                try await session.downloadFuture(from: server.url(), to: destination, accepting: 200..<300).value
            }
            #expect(error?.statusCode == 404 && error?.body == Data("not here".utf8))
        }
        #expect(try String(contentsOf: target, encoding: .utf8) == "old" && folder.names == ["file"])
        let new = session.downloadFuture(from: server.url("/new"), to: target, accepting: 200..<300)
        #expect(try await new.value.0 == target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "new" && folder.names == ["file"])
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
        let (future, token) = (Future<(Data, URLResponse)>(), CancelToken())
        let validated = future.validate(cancelToken: token)
        token.cancel()
        #expect(validated.isCancelled && !future.isCancelled)
    }

    @Test func `validate of a body waits for the body of an error`() async throws {
        let writer = BodyWriter("first, ")
        let server = HTTPServer { _ in .written(by: writer, status: 500) }
        let future = session.body(for: server.request(), capacity: 0).validate()
        writer.write("second")
        writer.finish()
        let error = await #expect(throws: HTTPStatusError.self) { try await future.value }
        #expect(error?.body == Data("first, second".utf8))
    }

    @Test func `validate of a body waits for at most a megabyte`() async throws {
        // The body does not end.
        let server = HTTPServer { _ in
            .written(by: BodyWriter(String(repeating: "0123456789", count: 200_000)), status: 500)
        }
        let future = session.body(for: server.request(), capacity: 0).validate()
        let error = await #expect(throws: HTTPStatusError.self) { try await future.value }
        #expect(error?.body == Data(String(repeating: "0123456789", count: 200_000).utf8).prefix(1 << 20))
        try await server.waitForClientClose()
    }

    @Test func `validate of a body that is canceled fails with the beginning of the error`() async throws {
        let server = HTTPServer { _ in .written(by: BodyWriter("the beginning"), status: 500) }
        let token = CancelToken()
        let head = session.body(for: server.request(), capacity: 0, cancelToken: token)
        let validated = head.validate()
        _ = try await head.value
        token.cancel()
        await #expect(throws: HTTPStatusError.self) { try await validated.value }
    }

    @Test func `a canceled token of validate ends the transfer of the body of an error`() async throws {
        let server = HTTPServer { _ in .written(by: BodyWriter("the beginning"), status: 500) }
        let token = CancelToken()
        var head: Future<(FutureStream<Data>, URLResponse)>? = session.body(for: server.request(), capacity: 0)
        let validated = head?.validate(cancelToken: token)
        _ = try await head?.value
        head = nil
        token.cancel()
        // The closure of `validate` may still be running.
        await until { validated?.isCancelled == true }
        try await server.waitForClientClose()
    }

    @Test func `validate of a body passes accepted responses on`() async throws {
        let server = HTTPServer { _ in .text("hello") }
        let (body, _) = try await session.body(for: server.request(), capacity: 0).validate().value
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
