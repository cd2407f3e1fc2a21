public import Foundation
public import SimpleFutures

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// Names from the release candidate. In asynchronous functions, calls by these names chose the system's own methods.

extension URLSession {
    /// Use `dataFuture(for:cancelToken:)`.
    @available(*, deprecated, renamed: "dataFuture(for:cancelToken:)")
    public func data(
        for request: URLRequest, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        dataFuture(for: request, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Use `dataFuture(from:cancelToken:)`.
    @available(*, deprecated, renamed: "dataFuture(from:cancelToken:)")
    public func data(
        from url: URL, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        dataFuture(from: url, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Use `uploadFuture(for:from:cancelToken:)`.
    @available(*, deprecated, renamed: "uploadFuture(for:from:cancelToken:)")
    public func upload(
        for request: URLRequest, from data: Data, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        uploadFuture(for: request, from: data, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Use `uploadFuture(for:fromFile:cancelToken:)`.
    @available(*, deprecated, renamed: "uploadFuture(for:fromFile:cancelToken:)")
    public func upload(
        for request: URLRequest, fromFile file: URL, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        uploadFuture(for: request, fromFile: file, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Use `downloadFuture(for:to:cancelToken:)`.
    @available(*, deprecated, renamed: "downloadFuture(for:to:cancelToken:)")
    public func download(
        for request: URLRequest, to destination: URL? = nil, cancelToken: CancelToken = .none,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(URL, URLResponse)> {
        downloadFuture(for: request, to: destination, cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Use `downloadFuture(from:to:cancelToken:)`.
    @available(*, deprecated, renamed: "downloadFuture(from:to:cancelToken:)")
    public func download(
        from url: URL, to destination: URL? = nil, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(URL, URLResponse)> {
        downloadFuture(from: url, to: destination, cancelToken: cancelToken, fileID: fileID, line: line)
    }
}
