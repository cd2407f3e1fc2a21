public import Foundation
public import SimpleFutures
public import SimpleFuturesInterop

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension URLSessionTask: CancellableHandle {}

// Not `data`, `upload` and `download`: in asynchronous functions calls by these names choose the system's methods.

extension URLSession {
    /// Sends a request, and returns a future of the body and the response.
    ///
    ///     let user = session.dataFuture(for: request, cancelToken: token)
    ///         .validate()
    ///         .map { data, _ in try JSONDecoder().decode(User.self, from: data) }
    ///
    /// The transfer begins at once. Releasing the future does not stop it; the token does. The timeout is that of the
    /// request or of the session's configuration, and fails with `URLError.timedOut`.
    ///
    /// The session must not be invalidated: Foundation ends the program if it is. A background session has no completion
    /// handlers: the future fails with a `URLError` that says so.
    ///
    /// On Linux a session stops using its `URLCache` with the first transfer that has a token, because Foundation ends
    /// the program there if a task is canceled while it waits for the cache.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cancelToken: Stops the transfer and cancels the future, at once. If the token is already canceled, the
    ///     transfer does not begin.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    /// - Returns: A future of the body and of the response. It fails with a `URLError`, but not because of a status:
    ///   see `validate(statusCodes:cancelToken:)`.
    public func dataFuture(
        for request: URLRequest, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        future(cancelToken: cancelToken, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) in
            try requireForeground()
            return cancellable(by: cancelToken).dataTask(with: request, completionHandler: completion).resumed()
        }
    }

    /// Loads the data at an address.
    ///
    /// See ``dataFuture(for:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - cancelToken: Stops the transfer and cancels the future, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func dataFuture(
        from url: URL, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        dataFuture(for: URLRequest(url: url), cancelToken: cancelToken, fileID: fileID, line: line)
    }

    /// Uploads data, and returns a future of the response.
    ///
    ///     let receipt = session
    ///         .uploadFuture(for: request, from: photo, cancelToken: token)
    ///         .validate()
    ///
    /// See ``dataFuture(for:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is ignored.
    ///   - data: The body.
    ///   - cancelToken: Stops the transfer and cancels the future, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func uploadFuture(
        for request: URLRequest, from data: Data, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        future(cancelToken: cancelToken, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) in
            try requireForeground()
            return cancellable(by: cancelToken)
                .uploadTask(with: request, from: data, completionHandler: completion).resumed()
        }
    }

    /// Uploads a file, and returns a future of the response.
    ///
    /// See ``uploadFuture(for:from:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - request: The request. Its body is ignored.
    ///   - file: The body. If it is not the URL of an existing file, the future fails with a `URLError` that names it.
    ///   - cancelToken: Stops the transfer and cancels the future, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func uploadFuture(
        for request: URLRequest, fromFile file: URL, cancelToken: CancelToken = .none, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Future<(Data, URLResponse)> {
        future(cancelToken: cancelToken, fileID: fileID, line: line) {
            (completion: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) in
            try requireForeground()
            if let error = file.errorOfUpload { throw error }
            return cancellable(by: cancelToken)
                .uploadTask(with: request, fromFile: file, completionHandler: completion).resumed()
        }
    }

    /// Sends a request, and stores the body in a file.
    ///
    ///     let archive = session.downloadFuture(
    ///         for: request, to: folder.appending(path: "archive.zip"), accepting: 200..<300, cancelToken: token)
    ///
    /// See ``dataFuture(for:cancelToken:fileID:line:)``. A file that arrives after the future was canceled is deleted,
    /// and replaces nothing. Without a destination it is also deleted if the future was released without waiters.
    ///
    /// On Linux Foundation leaves the part of a file whose transfer was canceled or interrupted in the temporary
    /// directory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - destination: The location of the file. An existing file is replaced. With nil it is stored among the
    ///     temporary files, where it stays until you move or delete it.
    ///   - statusCodes: The status codes to accept. With another one the future fails with an ``HTTPStatusError`` that
    ///     contains the first megabyte, and an existing file stays. With nil every status is accepted: the page of an
    ///     error, too, replaces the file.
    ///   - cancelToken: Stops the transfer and cancels the future, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    /// - Returns: A future of the file and of the response. It also fails with the error of moving the file.
    public func downloadFuture(
        for request: URLRequest, to destination: URL? = nil, accepting statusCodes: Range<Int>? = nil,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(URL, URLResponse)> {
        let arrived: Future<(URL, URLResponse)> = future(
            cancelToken: cancelToken, fileID: fileID, line: line,
            onLate: { (file, _) in try? FileManager.default.removeItem(at: file) }
        ) { (completion: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) in
            try requireForeground()
            return downloadTask(with: request) { file, response, error in
                // Apple's systems delete the file when this closure returns; Foundation on Linux does not.
                defer { if let file { try? FileManager.default.removeItem(at: file) } }
                let moved = Result {
                    try file.map { file in
                        if let statusCodes { try response?.accept(file, if: statusCodes) }
                        return try file.moved(near: destination)
                    }
                }
                // On Linux it gets neither for what is not loaded into a file, such as a `data` URL.
                let error: (any Error)? = error ?? (file == nil ? URLError(.unsupportedURL) : nil)
                switch moved {
                case .success(let file): completion(file, response, error)
                case .failure(let failure): completion(nil, response, error ?? failure)
                }
            }.resumed()
        }
        guard let destination else { return arrived }
        // Not in the completion handler, because a canceled future must not replace the file. Without the token, so
        // that a file that was taken does not stay near its destination.
        return arrived.map(context: ImmediateContext()) { file, response in
            try file.replace(destination)
            return (destination, response)
        }
    }

    /// Loads the data at an address into a file.
    ///
    /// See ``downloadFuture(for:to:accepting:cancelToken:fileID:line:)``.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - destination: The location of the file. An existing file is replaced. With nil it is stored among the
    ///     temporary files.
    ///   - statusCodes: The status codes to accept. With nil every status is accepted.
    ///   - cancelToken: Stops the transfer and cancels the future, at once.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    public func downloadFuture(
        from url: URL, to destination: URL? = nil, accepting statusCodes: Range<Int>? = nil,
        cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<(URL, URLResponse)> {
        downloadFuture(
            for: URLRequest(url: url), to: destination, accepting: statusCodes, cancelToken: cancelToken,
            fileID: fileID, line: line)
    }
}

extension URLSession {
    /// Refuses a background session: Foundation would end the program.
    func requireForeground() throws {
        if let identifier = configuration.identifier { throw URLError(inBackgroundSession: identifier) }
    }
}

extension URLError {
    init(inBackgroundSession identifier: String) {
        let text =
            "The transfer cannot begin: \(identifier) is a background session, whose tasks have no completion handlers and "
            + "no delegates. Use a session with another configuration, or a task and the delegate of the session."
        self.init(.unknown, userInfo: [NSLocalizedDescriptionKey: text])
    }
}

extension URL {
    /// The error of uploading what is not a file: for some of these Foundation ends the program.
    fileprivate var errorOfUpload: URLError? {
        func error(_ code: URLError.Code, _ problem: String) -> URLError {
            let text = "The upload cannot begin: \(isFileURL ? path : absoluteString) \(problem)."
            return URLError(code, userInfo: [NSLocalizedDescriptionKey: text, NSURLErrorFailingURLErrorKey: self])
        }
        guard isFileURL else { return error(.unsupportedURL, "is not a file URL; pass the URL of a file") }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return error(.fileDoesNotExist, "does not exist")
        }
        return isDirectory.boolValue ? error(.fileIsDirectory, "is a directory, not a file") : nil
    }

    /// Moves a temporary file into the folder of its destination, possibly on another volume.
    ///
    /// Without a destination it stays among the temporary files.
    fileprivate func moved(near destination: URL?) throws -> URL {
        let name = "download-\(UUID().uuidString)"
        let target =
            destination?.deletingLastPathComponent().appendingPathComponent(".\(name)")
            ?? FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.moveItem(at: self, to: target)
        return target
    }

    /// Moves a file of the same folder, in one step, in place of an existing one.
    fileprivate func replace(_ destination: URL) throws {
        guard rename(path, destination.path) != 0 else { return }
        let error = POSIXError.last
        try? FileManager.default.removeItem(at: self)
        let reason = error.code == .EISDIR ? "it is a directory; pass the URL of a file" : error.message
        throw CocoaError(
            error.code == .EISDIR ? .fileWriteFileExists : .fileWriteUnknown,
            userInfo: [
                NSLocalizedDescriptionKey: "The download cannot be moved to \(destination.path): \(reason).",
                NSFilePathErrorKey: destination.path, NSUnderlyingErrorKey: error,
            ])
    }
}
