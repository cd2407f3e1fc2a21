// A stub of Apple's Foundation for type-checking on Linux: what the project uses of it, nothing more. Not Apple's code.
//
// Class or struct, open, Sendable or not, optional, throwing, `@Sendable` handlers and availability are as Apple documents
// them and as in the SDKs of the generation of iOS 17.4; Process as in that of macOS 26. `NSObject` is a Swift class here.
// "Unsure" stands where newer SDKs may differ. Availability below macOS 12 and iOS 15 is left out: nothing of ours runs there.
@_exported import Darwin
@_exported import Dispatch
@_exported import ObjectiveC

// MARK: Errors

public let NSPOSIXErrorDomain: String = ""
public let NSCocoaErrorDomain: String = ""
public let NSUnderlyingErrorKey: String = ""
public let NSFilePathErrorKey: String = ""
public let NSLocalizedDescriptionKey: String = ""
public let NSURLErrorFailingURLErrorKey: String = ""

open class NSError: NSObject, @unchecked Sendable {
    public init(domain: String, code: Int, userInfo: [String: Any]? = nil) {}
    open var domain: String { fatalError() }
    open var code: Int { fatalError() }
    open var userInfo: [String: Any] { fatalError() }
    open var localizedDescription: String { fatalError() }
}
extension NSError: Error {}

public func NSTemporaryDirectory() -> String { fatalError() }

// The compiler calls this for `error as NSError`.
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }

extension Error {
    public var localizedDescription: String { fatalError() }
}

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}
extension CustomNSError {
    public static var errorDomain: String { fatalError() }
    public var errorCode: Int { fatalError() }
    public var errorUserInfo: [String: Any] { fatalError() }
}

public protocol _ErrorCodeProtocol: Equatable {
    associatedtype _ErrorType: _BridgedStoredNSError where _ErrorType.Code == Self
}
extension _ErrorCodeProtocol {
    public static func ~= (match: Self, error: any Error) -> Bool { fatalError() }
}
public protocol _BridgedStoredNSError: CustomNSError, Hashable {
    associatedtype Code: _ErrorCodeProtocol, RawRepresentable where Code.RawValue: FixedWidthInteger
    var _nsError: NSError { get }
    init(_nsError error: NSError)
}
extension _BridgedStoredNSError {
    public var code: Code { fatalError() }
    public init(_ code: Code, userInfo: [String: Any] = [:]) { fatalError() }
    public var userInfo: [String: Any] { fatalError() }
    public var localizedDescription: String { fatalError() }
    public func hash(into hasher: inout Hasher) {}
    public static func == (left: Self, right: Self) -> Bool { fatalError() }
}

public struct POSIXError: _BridgedStoredNSError {
    public typealias Code = POSIXErrorCode
    public let _nsError: NSError
    public init(_nsError error: NSError) { _nsError = error }
    public static var EPERM: POSIXErrorCode { .EPERM }
    public static var ENOENT: POSIXErrorCode { .ENOENT }
    public static var EBADF: POSIXErrorCode { .EBADF }
    public static var EACCES: POSIXErrorCode { .EACCES }
}
extension POSIXErrorCode: _ErrorCodeProtocol { public typealias _ErrorType = POSIXError }

public struct CocoaError: _BridgedStoredNSError {
    public struct Code: RawRepresentable, Hashable, _ErrorCodeProtocol, Sendable {
        public typealias _ErrorType = CocoaError
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static var fileWriteFileExists: Code { fatalError() }
        public static var fileWriteUnknown: Code { fatalError() }
    }
    public let _nsError: NSError
    public init(_nsError error: NSError) { _nsError = error }
}

public struct URLError: _BridgedStoredNSError {
    public struct Code: RawRepresentable, Hashable, _ErrorCodeProtocol, Sendable {
        public typealias _ErrorType = URLError
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
    }
    public let _nsError: NSError
    public init(_nsError error: NSError) { _nsError = error }
    public static var unknown: Code { fatalError() }
    public static var cancelled: Code { fatalError() }
    public static var badURL: Code { fatalError() }
    public static var unsupportedURL: Code { fatalError() }
    public static var fileDoesNotExist: Code { fatalError() }
    public static var fileIsDirectory: Code { fatalError() }
    public static var timedOut: Code { fatalError() }
    public static var badServerResponse: Code { fatalError() }
}
extension URLError.Code {
    public static var unknown: Self { fatalError() }
    public static var cancelled: Self { fatalError() }
    public static var badURL: Self { fatalError() }
    public static var unsupportedURL: Self { fatalError() }
    public static var fileDoesNotExist: Self { fatalError() }
    public static var fileIsDirectory: Self { fatalError() }
    public static var timedOut: Self { fatalError() }
    public static var badServerResponse: Self { fatalError() }
}

// MARK: Values

public protocol ContiguousBytes {
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}

// `prefix`, `dropFirst` and ranges give `Data`, since that is its own `SubSequence`.
@frozen public struct Data: Hashable, RandomAccessCollection, MutableCollection, RangeReplaceableCollection, DataProtocol,
    ContiguousBytes, Sendable
{
    public typealias Index = Int
    public typealias Indices = Range<Int>
    public typealias SubSequence = Data
    public init() {}
    public init(count: Int) {}
    public init(repeating repeatedValue: UInt8, count: Int) {}
    public init<S: Sequence>(_ elements: S) where S.Element == UInt8 {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public var count: Int { get { fatalError() } set {} }
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public var indices: Range<Int> { fatalError() }
    public func index(before i: Int) -> Int { fatalError() }
    public func index(after i: Int) -> Int { fatalError() }
    public subscript(index: Int) -> UInt8 { get { fatalError() } set {} }
    public subscript(bounds: Range<Int>) -> Data { get { fatalError() } set {} }
    public mutating func replaceSubrange<C: Collection>(_ range: Range<Int>, with elements: C) where C.Element == UInt8 {}
    public mutating func append(_ other: Data) {}
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public mutating func withUnsafeMutableBytes<R>(_ body: (UnsafeMutableRawBufferPointer) throws -> R) rethrows -> R {
        fatalError()
    }
    public init(contentsOf url: URL) throws {}
}

public struct UUID: Hashable, CustomStringConvertible, Sendable {
    public init() {}
    public var uuidString: String { fatalError() }
    public var description: String { fatalError() }
}

public typealias TimeInterval = Double
public struct Date: Hashable, Comparable, Sendable {
    public init() {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public var timeIntervalSinceNow: TimeInterval { fatalError() }
    public static func < (left: Date, right: Date) -> Bool { fatalError() }
}

public struct URLResourceKey: RawRepresentable, Hashable, @unchecked Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let isRegularFileKey = URLResourceKey(rawValue: "")
}
// Sendable since the SDK of macOS 13; unsure.
public struct URLResourceValues {
    public var isRegularFile: Bool? { fatalError() }
}

public struct URL: Hashable, CustomStringConvertible, Sendable {
    public init?(string: String) {}
    public init(fileURLWithPath path: String) {}
    public init(fileURLWithPath path: String, isDirectory: Bool) {}
    public var absoluteString: String { fatalError() }
    public var isFileURL: Bool { fatalError() }
    public var path: String { fatalError() }
    public var relativePath: String { fatalError() }
    public var lastPathComponent: String { fatalError() }
    public var pathExtension: String { fatalError() }
    public var standardizedFileURL: URL { fatalError() }
    public var description: String { fatalError() }
    public func appendingPathComponent(_ pathComponent: String) -> URL { fatalError() }
    public func appendingPathComponent(_ pathComponent: String, isDirectory: Bool) -> URL { fatalError() }
    public func deletingLastPathComponent() -> URL { fatalError() }
    public mutating func deleteLastPathComponent() {}
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues { fatalError() }
}

extension String {
    public struct Encoding: RawRepresentable, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let utf8 = Encoding(rawValue: 4)
    }
    public init(format: String, _ arguments: any CVarArg...) { self = "" }
    public init(contentsOfFile path: String, encoding enc: Encoding) throws { self = "" }
}
extension StringProtocol {
    public func components<T: StringProtocol>(separatedBy separator: T) -> [String] { fatalError() }
    public func data(using encoding: String.Encoding, allowLossyConversion: Bool = false) -> Data? { fatalError() }
}

// MARK: Processes, threads, files

open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var activeProcessorCount: Int { fatalError() }
    open var environment: [String: String] { fatalError() }
}

public protocol NSLocking {
    @available(*, noasync) func lock()
    @available(*, noasync) func unlock()
}
extension NSLocking {
    @_disfavoredOverload public func withLock<R>(_ body: () throws -> R) rethrows -> R { fatalError() }
}
open class NSLock: NSObject, NSLocking, @unchecked Sendable {
    @available(*, noasync) open func lock() {}
    @available(*, noasync) open func unlock() {}
    @available(*, noasync) open func `try`() -> Bool { fatalError() }
}

// Not Sendable.
open class Thread: NSObject {
    @available(*, noasync)
    open class var current: Thread { fatalError() }
    @available(*, noasync)
    open class var isMainThread: Bool { fatalError() }
    public override init() { super.init() }
    public convenience init(block: @escaping @Sendable () -> Void) { self.init() }
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {}
    @available(*, noasync)
    open class func sleep(forTimeInterval ti: TimeInterval) {}
    open var name: String?
    open var stackSize: Int = 0
    open func start() {}
}

// Sendable; all its state is under locks.
open class FileHandle: NSObject, @unchecked Sendable {
    public init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool) {}
    public convenience init(fileDescriptor fd: Int32) { fatalError() }
    public convenience init?(forReadingAtPath path: String) { fatalError() }
    public convenience init?(forWritingAtPath path: String) { fatalError() }
    public convenience init(forReadingFrom url: URL) throws { fatalError() }
    public convenience init(forWritingTo url: URL) throws { fatalError() }
    open class var standardInput: FileHandle { fatalError() }
    open class var standardOutput: FileHandle { fatalError() }
    open class var standardError: FileHandle { fatalError() }
    open class var nullDevice: FileHandle { fatalError() }
    open var fileDescriptor: Int32 { fatalError() }
    open var readabilityHandler: (@Sendable (FileHandle) -> Void)?
    open var writeabilityHandler: (@Sendable (FileHandle) -> Void)?
    open func close() throws {}
    open func write(_ data: Data) {}
    public func readToEnd() throws -> Data? { fatalError() }
    public func read(upToCount count: Int) throws -> Data? { fatalError() }
    public func write<T: DataProtocol>(contentsOf data: T) throws {}
}
open class Pipe: NSObject, @unchecked Sendable {
    public override init() { super.init() }
    open var fileHandleForReading: FileHandle { fatalError() }
    open var fileHandleForWriting: FileHandle { fatalError() }
}

// Not Sendable.
open class NSEnumerator: NSObject, Sequence {
    public struct Iterator: IteratorProtocol { public mutating func next() -> Any? { fatalError() } }
    public func makeIterator() -> Iterator { fatalError() }
    open func nextObject() -> Any? { fatalError() }
}
open class FileManager: NSObject {
    public struct DirectoryEnumerationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var skipsHiddenFiles: Self { Self(rawValue: 4) }
    }
    open class DirectoryEnumerator: NSEnumerator {}
    // Not Sendable, but its shared instance may be used from every thread; it comes from Objective-C, so nothing warns.
    open class var `default`: FileManager { fatalError() }
    open var temporaryDirectory: URL { fatalError() }
    open var currentDirectoryPath: String { fatalError() }
    open func moveItem(at srcURL: URL, to dstURL: URL) throws {}
    open func removeItem(at URL: URL) throws {}
    open func fileExists(atPath path: String) -> Bool { fatalError() }
    open func fileExists(atPath path: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { fatalError() }
    open func contentsOfDirectory(atPath path: String) throws -> [String] { fatalError() }
    open func enumerator(
        at url: URL, includingPropertiesForKeys keys: [URLResourceKey]?,
        options mask: DirectoryEnumerationOptions = [], errorHandler handler: ((URL, any Error) -> Bool)? = nil
    ) -> DirectoryEnumerator? { fatalError() }
}

#if os(macOS)
// Absent from every other platform. Sendable in the SDK of macOS 26; in that of macOS 13 it was not yet.
open class Process: NSObject, @unchecked Sendable {
    public enum TerminationReason: Int, Sendable { case exit = 1, uncaughtSignal = 2 }
    public override init() { super.init() }
    open var executableURL: URL?
    open var arguments: [String]?
    open var environment: [String: String]?
    open var currentDirectoryURL: URL?
    open var standardInput: Any?
    open var standardOutput: Any?
    open var standardError: Any?
    open func run() throws {}
    open func interrupt() {}
    open func terminate() {}
    open func suspend() -> Bool { fatalError() }
    open func resume() -> Bool { fatalError() }
    open var processIdentifier: Int32 { fatalError() }
    open var isRunning: Bool { fatalError() }
    open var terminationStatus: Int32 { fatalError() }
    open var terminationReason: TerminationReason { fatalError() }
    open var terminationHandler: (@Sendable (Process) -> Void)?
    @available(*, noasync) open func waitUntilExit() {}
}
#endif

// MARK: Notifications

// Not Sendable: what it carries may be anything.
public struct Notification: Hashable {
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?
    public init(name: Name, object: Any? = nil, userInfo: [AnyHashable: Any]? = nil) { fatalError() }
    public static func == (left: Notification, right: Notification) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}
@available(*, unavailable)
extension Notification: Sendable {}

open class NotificationCenter: NSObject, @unchecked Sendable {
    open class var `default`: NotificationCenter { fatalError() }
    public override init() { super.init() }
    open func addObserver(
        forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func removeObserver(_ observer: Any) {}
    open func removeObserver(_ observer: Any, name aName: Notification.Name?, object anObject: Any?) {}
    open func post(name aName: Notification.Name, object anObject: Any?, userInfo: [AnyHashable: Any]? = nil) {}
    // The system's own; ours overloads it.
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications { fatalError() }
    public final class Notifications: AsyncSequence, Sendable {
        public typealias Element = Notification
        public struct Iterator: AsyncIteratorProtocol {
            public func next() async -> Notification? { fatalError() }
        }
        public func makeAsyncIterator() -> Iterator { fatalError() }
    }
}
@available(*, unavailable)
extension NotificationCenter.Notifications.Iterator: Sendable {}

// MARK: Operations

// Key-value observing. Whether a key path names an @objc property is not seen.
public protocol _KeyValueCodingAndObserving {}
extension NSObject: _KeyValueCodingAndObserving {
    @objc open func willChangeValue(forKey key: String) {}
    @objc open func didChangeValue(forKey key: String) {}
}
extension _KeyValueCodingAndObserving {
    @available(*, noasync)
    public func willChangeValue<Value>(for keyPath: __owned KeyPath<Self, Value>) {}
    @available(*, noasync)
    public func didChangeValue<Value>(for keyPath: __owned KeyPath<Self, Value>) {}
    @preconcurrency
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation { NSKeyValueObservation() }
}
public struct NSKeyValueObservedChange<Value> {
    public let newValue: Value?
    public let oldValue: Value?
    public let isPrior: Bool
}
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let new = Self(rawValue: 1)
    public static let old = Self(rawValue: 2)
    public static let initial = Self(rawValue: 4)
    public static let prior = Self(rawValue: 8)
}
public class NSKeyValueObservation: NSObject {
    public func invalidate() {}
}

@objcMembers open class Operation: NSObject, @unchecked Sendable {
    public override init() { super.init() }
    open func start() {}
    open func main() {}
    open func cancel() {}
    open var isCancelled: Bool { fatalError() }
    open var isExecuting: Bool { fatalError() }
    open var isFinished: Bool { fatalError() }
    open var isConcurrent: Bool { fatalError() }
    open var isAsynchronous: Bool { fatalError() }
    open var isReady: Bool { fatalError() }
    open func addDependency(_ op: Operation) {}
    open func removeDependency(_ op: Operation) {}
    open var dependencies: [Operation] { fatalError() }
    open var completionBlock: (@Sendable () -> Void)?
    @available(*, noasync)
    open func waitUntilFinished() {}
    open var name: String?
}
open class BlockOperation: Operation, @unchecked Sendable {
    public convenience init(block: @escaping @Sendable () -> Void) { fatalError() }
    open func addExecutionBlock(_ block: @escaping @Sendable () -> Void) {}
}
open class OperationQueue: NSObject, @unchecked Sendable {
    public override init() { super.init() }
    open class var main: OperationQueue { fatalError() }
    open class var current: OperationQueue? { fatalError() }
    open func addOperation(_ op: Operation) {}
    open func addOperation(_ block: @escaping @Sendable () -> Void) {}
    open func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {}
    @available(*, noasync)
    open func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {}
    open var maxConcurrentOperationCount: Int = 0
    open var isSuspended: Bool = false
    open var name: String?
    open var underlyingQueue: DispatchQueue?
    open func cancelAllOperations() {}
    // Of its conformance to Combine's Scheduler. A declaration named `now` of ours stands beside this one.
    public struct SchedulerTimeType: Sendable {}
    public var now: SchedulerTimeType { fatalError() }
}
extension DispatchQueue {
    // Of its conformance to Combine's Scheduler, which comes with Foundation.
    public struct SchedulerTimeType: Sendable {}
    public var now: SchedulerTimeType { fatalError() }
}

// MARK: Loading URLs

public struct URLRequest: Hashable, Sendable {
    public init(url: URL) {}
    public var url: URL? { get { fatalError() } set {} }
    public var httpMethod: String? { get { fatalError() } set {} }
    public var httpBody: Data? { get { fatalError() } set {} }
    public static func == (left: URLRequest, right: URLRequest) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}
open class URLResponse: NSObject, @unchecked Sendable {
    open var url: URL? { fatalError() }
    open var mimeType: String? { fatalError() }
    open var expectedContentLength: Int64 { fatalError() }
}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public init?(url: URL, statusCode: Int, httpVersion HTTPVersion: String?, headerFields: [String: String]?) {}
    open var statusCode: Int { fatalError() }
    open var allHeaderFields: [AnyHashable: Any] { fatalError() }
    open class func localizedString(forStatusCode statusCode: Int) -> String { fatalError() }
}
open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {}
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var `default`: URLSessionConfiguration { fatalError() }
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
    open var identifier: String? { fatalError() }
    open var urlCache: URLCache?
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { fatalError() }
    open var originalRequest: URLRequest? { fatalError() }
    open var response: URLResponse? { fatalError() }
    open var error: (any Error)? { fatalError() }
    @available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, visionOS 1.0, *)
    open var delegate: (any URLSessionTaskDelegate)?
    open func cancel() {}
    open func suspend() {}
    open func resume() {}
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {}

@objc(NSURLSessionDelegate)
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
    @objc(URLSession:didBecomeInvalidWithError:)
    optional func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)
}
@objc(NSURLSessionTaskDelegate)
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    @objc(URLSession:task:didCompleteWithError:)
    optional func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
    @objc(URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:)
    optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    @objc(URLSession:task:didReceiveChallenge:completionHandler:)
    optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}
@objc(NSURLSessionDataDelegate)
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    @objc(URLSession:dataTask:didReceiveResponse:completionHandler:)
    optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    @objc(URLSession:dataTask:didReceiveData:)
    optional func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

open class URLSession: NSObject, @unchecked Sendable {
    @objc(NSURLSessionResponseDisposition)
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }
    @objc(NSURLSessionAuthChallengeDisposition)
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    open class var shared: URLSession { fatalError() }
    public convenience init(configuration: URLSessionConfiguration) { fatalError() }
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue queue: OperationQueue?
    ) { fatalError() }
    open var configuration: URLSessionConfiguration { fatalError() }
    open var delegate: (any URLSessionDelegate)? { fatalError() }
    open var delegateQueue: OperationQueue { fatalError() }
    open func finishTasksAndInvalidate() {}
    open func invalidateAndCancel() {}

    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func dataTask(with url: URL) -> URLSessionDataTask { fatalError() }
    open func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask { fatalError() }
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask { fatalError() }
    open func downloadTask(with request: URLRequest) -> URLSessionDownloadTask { fatalError() }
    open func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask { fatalError() }
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { fatalError() }
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask { fatalError() }
    open func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask { fatalError() }
}

// The system's asynchronous methods, some of which have the names of ours.
extension URLSession {
    @_disfavoredOverload
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) { fatalError() }
    @_disfavoredOverload
    public func data(from url: URL) async throws -> (Data, URLResponse) { fatalError() }
    @_disfavoredOverload
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) { fatalError() }
    @_disfavoredOverload
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) { fatalError() }
}
@available(macOS 12.0, iOS 15.0, watchOS 8.0, tvOS 15.0, visionOS 1.0, *)
extension URLSession {
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { fatalError() }
    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (URL, URLResponse) { fatalError() }
}

// MARK: Bridging to Objective-C

@objc(NSString) open class NSString: NSObject {}
extension String: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout String?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout String?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> String { fatalError() }
}
@objc(NSData) open class NSData: NSObject {}
extension Data: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSData { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSData, result: inout Data?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSData, result: inout Data?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSData?) -> Data { fatalError() }
}
@objc(NSURL) open class NSURL: NSObject {}
extension URL: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURL { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURL, result: inout URL?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURL, result: inout URL?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURL?) -> URL { fatalError() }
}
@objc(NSURLRequest) open class NSURLRequest: NSObject {}
extension URLRequest: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURLRequest { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSURLRequest, result: inout URLRequest?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSURLRequest?) -> URLRequest { fatalError() }
}
@objc(NSNotification) open class NSNotification: NSObject {}
extension Notification: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSNotification { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSNotification, result: inout Notification?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNotification, result: inout Notification?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNotification?) -> Notification { fatalError() }
}
@objc(NSDate) open class NSDate: NSObject {}
extension Date: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDate { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSDate, result: inout Date?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSDate, result: inout Date?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSDate?) -> Date { fatalError() }
}
@objc(NSUUID) open class NSUUID: NSObject {}
extension UUID: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSUUID { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ source: NSUUID, result: inout UUID?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSUUID, result: inout UUID?) -> Bool { fatalError() }
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSUUID?) -> UUID { fatalError() }
}
