public import Foundation
public import SimpleFutures

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The server has responded with a status that was not accepted.
///
///     func load(_ request: URLRequest) async throws -> Data? {
///         do {
///             return try await session.dataFuture(for: request).validate().value.0
///         } catch let error as HTTPStatusError where error.statusCode == 404 {
///             return nil
///         }
///     }
public struct HTTPStatusError: Error, Sendable {
    /// The status of the response, such as 404.
    public var statusCode: Int { response.statusCode }
    /// The body that the server sent; of a download or a streamed body, the first megabyte.
    public let body: Data
    /// The response with its headers.
    public let response: HTTPURLResponse

    /// Creates an error, for tests of code that handles it.
    ///
    /// - Parameters:
    ///   - body: The body that the server sent.
    ///   - response: The response with status and headers.
    public init(body: Data, response: HTTPURLResponse) {
        self.body = body
        self.response = response
    }

    /// The largest body of an error, if the body need not be in memory otherwise.
    static let largestBody = 1 << 20
}

extension HTTPStatusError: CustomStringConvertible {
    /// The status, the address, and the beginning of the body.
    public var description: String {
        let name = HTTPURLResponse.localizedString(forStatusCode: statusCode)
        let address = response.url.map { " for \($0.absoluteString)" } ?? ""
        let text = String(decoding: body.prefix(200), as: UTF8.self)
        return "HTTP status \(statusCode) (\(name))\(address)" + (text.isEmpty ? "" : ": \(text)")
    }
}

extension HTTPStatusError: LocalizedError {
    /// The ``description``.
    public var errorDescription: String? { description }
}

extension Futurable where T == (Data, URLResponse) {
    /// Returns a future that fails with ``HTTPStatusError`` if the status is not accepted: for `dataFuture` and
    /// `uploadFuture`.
    ///
    /// The error contains the status and the body. Responses without a status, for example those of files, are passed
    /// on.
    ///
    /// - Parameters:
    ///   - statusCodes: The accepted status codes.
    ///   - cancelToken: When canceled, cancels the new future.
    public func validate(
        statusCodes: Range<Int> = 200..<300, cancelToken: CancelToken = .none
    ) -> Future<(Data, URLResponse)> {
        map(context: ImmediateContext(), cancelToken: cancelToken) { body, response in
            if let unwanted = response.unwanted(statusCodes) { throw HTTPStatusError(body: body, response: unwanted) }
            return (body, response)
        }
    }
}

extension Futurable where T == (URL, URLResponse) {
    /// Returns a future that fails with ``HTTPStatusError`` if the status is not accepted: for `downloadFuture`.
    ///
    /// The file is then deleted; the error contains the status and the file's first megabyte. A file that the download
    /// has replaced is lost: to keep it, say which status codes to accept when you start the download.
    ///
    /// - Parameters:
    ///   - statusCodes: The accepted status codes.
    ///   - cancelToken: When canceled, cancels the new future.
    public func validate(
        statusCodes: Range<Int> = 200..<300, cancelToken: CancelToken = .none
    ) -> Future<(URL, URLResponse)> {
        map(context: ImmediateContext(), cancelToken: cancelToken) { file, response in
            try response.accept(file, if: statusCodes)
            return (file, response)
        }
    }
}

extension URLResponse {
    /// Throws if the status is not accepted, with the beginning of the downloaded file, and deletes the file.
    func accept(_ file: URL, if statusCodes: Range<Int>) throws {
        guard let unwanted = unwanted(statusCodes) else { return }
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try? FileHandle(forReadingFrom: file)
        let body = try? handle?.read(upToCount: HTTPStatusError.largestBody)
        throw HTTPStatusError(body: body ?? Data(), response: unwanted)
    }

    /// The response if it has a status that is not accepted.
    func unwanted(_ statusCodes: Range<Int>) -> HTTPURLResponse? {
        guard let response = self as? HTTPURLResponse, !statusCodes.contains(response.statusCode) else { return nil }
        return response
    }
}
