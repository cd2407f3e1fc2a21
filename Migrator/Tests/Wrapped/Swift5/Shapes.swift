// Every shape of completion handler, as code from before concurrency writes it.

import Foundation
import SimpleFutures
import SimpleFuturesInterop

struct Profile: Sendable, Equatable {
    var name = "Ada"
}

enum LoadError: Error {
    case offline
}

class LegacyClient {
    typealias Completion = (Profile?, Error?) -> Void
    typealias Handler<Value> = (Result<Value, Error>) -> Void
    typealias LoadResult = Result<Profile, LoadError>

    var folder = "profiles"

    /// Loads a profile.
    ///
    /// The completion handler is called on another thread.
    ///
    /// - Parameters:
    ///   - id: The number of the profile.
    ///   - completion: Gets the profile,
    ///     or an error.
    func optionalAndError(id: Int, completion: @escaping (Profile?, Error?) -> Void) {
        completion(Profile(), nil)
    }

    /// Loads a profile.
    ///
    /// The completion handler is called on another thread.
    ///
    /// - Parameters:
    ///   - id: The number of the profile.
    /// - Returns: A future of the result.
    func optionalAndError(id: Int) -> Future<Profile> { future { optionalAndError(id: id, completion: $0) } }

    /// Loads a profile.
    ///
    /// The completion handler is called on another thread.
    ///
    /// - Parameters:
    ///   - id: The number of the profile.
    /// - Returns: The result.
    func optionalAndError(id: Int) async throws -> Profile {
        try await withCompletionHandler { optionalAndError(id: id, completion: $0) }
    }

    /// Loads a profile.
    /// - Parameter completion: Gets the profile, or an error.
    func valueAndError(_ completion: @escaping (Profile, Error?) -> Void) {
        completion(Profile(), nil)
    }

    /// Loads a profile.
    ///
    /// - Returns: A future of the result.
    func valueAndError() -> Future<Profile> { future { valueAndError($0) } }

    /// Loads a profile.
    ///
    /// - Returns: The result.
    func valueAndError() async throws -> Profile { try await withCompletionHandler { valueAndError($0) } }

    func onlyError(_ profile: Profile, completion: @escaping (_ error: Error?) -> Void) {
        completion(nil)
    } // the comment stays here

    func onlyError(_ profile: Profile) -> Future<Void> { future { onlyError(profile, completion: $0) } }

    func onlyError(_ profile: Profile) async throws {
        try await withCompletionHandler { onlyError(profile, completion: $0) }
    }

    func value(completion: @escaping (Profile) -> Void) { completion(Profile()) }

    func value() -> Future<Profile> { future { value(completion: $0) } }

    func value() async throws -> Profile { try await withCompletionHandler { value(completion: $0) } }

    func optionalValue(completion: @escaping (Profile?) -> Void) { completion(nil) }

    func optionalValue() -> Future<Profile?> { future { optionalValue(completion: $0) } }

    func optionalValue() async throws -> Profile? { try await withCompletionHandler { optionalValue(completion: $0) } }

    func nothing(completion: @escaping () -> Void) { completion() }

    func nothing() -> Future<Void> { future { nothing(completion: $0) } }

    func nothing() async throws { try await withCompletionHandler { nothing(completion: $0) } }

    func result(completion: @escaping (Result<Profile, Error>) -> Void) { completion(.success(Profile())) }

    func result() -> Future<Profile> { future { result(completion: $0) } }

    func result() async throws -> Profile { try await withCompletionHandler { result(completion: $0) } }

    func typedResult(completion: @escaping (Result<Profile, LoadError>) -> Void) { completion(.failure(.offline)) }

    func typedResult() -> Future<Profile> { future { typedResult(completion: $0) } }

    func typedResult() async throws -> Profile { try await withCompletionHandler { typedResult(completion: $0) } }

    func typedError(completion: @escaping (Profile?, LoadError?) -> Void) { completion(nil, .offline) }

    func typedError() -> Future<Profile> { future { typedError(completion: $0) } }

    func typedError() async throws -> Profile { try await withCompletionHandler { typedError(completion: $0) } }

    func voidResult(completion: @escaping (Result<Void, Error>) -> Void) { completion(.success(())) }

    func voidResult() -> Future<Void> { future { voidResult(completion: $0) } }

    func voidResult() async throws { try await withCompletionHandler { voidResult(completion: $0) } }

    func twoOptionals(completion: @escaping (Profile?, Int?, Error?) -> Void) { completion(Profile(), 1, nil) }

    func twoOptionals() -> Future<(Profile, Int)> { future { twoOptionals(completion: $0) } }

    func twoOptionals() async throws -> (Profile, Int) {
        try await withCompletionHandler { twoOptionals(completion: $0) }
    }

    func twoValues(completion: @escaping (Profile, Int, Error?) -> Void) { completion(Profile(), 1, nil) }

    func twoValues() -> Future<(Profile, Int)> { future { twoValues(completion: $0) } }

    func twoValues() async throws -> (Profile, Int) { try await withCompletionHandler { twoValues(completion: $0) } }

    func errorFirst(completion: @escaping (Error?, Profile?) -> Void) { completion(nil, Profile()) }

    func errorFirst() -> Future<Profile> { future { errorFirst(completion: $0) } }

    func errorFirst() async throws -> Profile { try await withCompletionHandler { errorFirst(completion: $0) } }

    func errorFirstWithValue(completion: @escaping (Error?, Bool) -> Void) { completion(nil, true) }

    func errorFirstWithValue() -> Future<Bool> { future { errorFirstWithValue(completion: $0) } }

    func errorFirstWithValue() async throws -> Bool {
        try await withCompletionHandler { errorFirstWithValue(completion: $0) }
    }

    func twoValuesWithoutError(completion: @escaping (Profile, Bool) -> Void) { completion(Profile(), true) }

    func twoValuesWithoutError() -> Future<(Profile, Bool)> { future { twoValuesWithoutError(completion: $0) } }

    func twoValuesWithoutError() async throws -> (Profile, Bool) {
        try await future { twoValuesWithoutError(completion: $0) }.value
    }

    func four(completion: @escaping (Profile?, Int, Error?, Bool) -> Void) { completion(Profile(), 1, nil, true) }

    func four() -> Future<(Profile?, Int, Error?, Bool)> { future { four(completion: $0) } }

    func four() async throws -> (Profile?, Int, Error?, Bool) { try await future { four(completion: $0) }.value }

    func named(completion: @escaping (_ profile: Profile?, _ count: Int?, _ error: Error?) -> Void) {
        completion(Profile(), 1, nil)
    }

    func named() -> Future<(Profile, Int)> { future { named(completion: $0) } }

    func named() async throws -> (profile: Profile, count: Int) {
        try await withCompletionHandler { named(completion: $0) }
    }

    func namedInPart(completion: @escaping (_ profile: Profile, Bool) -> Void) { completion(Profile(), true) }

    func namedInPart() -> Future<(Profile, Bool)> { future { namedInPart(completion: $0) } }

    func namedInPart() async throws -> (profile: Profile, Bool) {
        try await future { namedInPart(completion: $0) }.value
    }

    func twoHandlers(id: Int, success: @escaping (Profile) -> Void, failure: @escaping (Error) -> Void) {
        success(Profile())
    }

    func twoHandlers(id: Int) -> Future<Profile> { future { twoHandlers(id: id, success: $0, failure: $1) } }

    func twoHandlers(id: Int) async throws -> Profile {
        try await withCompletionHandler { twoHandlers(id: id, success: $0, failure: $1) }
    }

    func twoHandlersForNothing(success: @escaping () -> Void, failure: @escaping (Error) -> Void) { success() }

    func twoHandlersForNothing() -> Future<Void> {
        future { success, failure in twoHandlersForNothing(success: { @Sendable in success(()) }, failure: failure) }
    }

    func twoHandlersForNothing() async throws {
        try await withCompletionHandler { success, failure in
            twoHandlersForNothing(success: { @Sendable in success(()) }, failure: failure)
        }
    }

    func alias(completion: @escaping Completion) { completion(Profile(), nil) }

    func alias() -> Future<Profile> { future { alias(completion: $0) } }

    func alias() async throws -> Profile { try await withCompletionHandler { alias(completion: $0) } }

    func genericAlias(handler: @escaping Handler<[Profile]>) { handler(.success([])) }

    func genericAlias() -> Future<[Profile]> { future { genericAlias(handler: $0) } }

    func genericAlias() async throws -> [Profile] { try await withCompletionHandler { genericAlias(handler: $0) } }

    func aliasOfResult(completion: @escaping (LoadResult) -> Void) { completion(.success(Profile())) }

    func aliasOfResult() -> Future<Profile> { future { aliasOfResult(completion: $0) } }

    func aliasOfResult() async throws -> Profile { try await withCompletionHandler { aliasOfResult(completion: $0) } }

    func optionalHandler(id: Int = 0, completion: ((Profile?, Error?) -> Void)? = nil) { completion?(Profile(), nil) }

    @_disfavoredOverload
    func optionalHandler(id: Int = 0) -> Future<Profile> { future { optionalHandler(id: id, completion: $0) } }

    @_disfavoredOverload
    func optionalHandler(id: Int = 0) async throws -> Profile {
        try await withCompletionHandler { optionalHandler(id: id, completion: $0) }
    }

    func implicitlyUnwrapped(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

    func implicitlyUnwrapped() -> Future<Profile> { future { implicitlyUnwrapped(completion: $0) } }

    func implicitlyUnwrapped() async throws -> Profile {
        try await withCompletionHandler { implicitlyUnwrapped(completion: $0) }
    }

    func notLast(completion: @escaping (Profile?, Error?) -> Void, priority: Int) { completion(Profile(), nil) }

    func notLast(priority: Int) -> Future<Profile> { future { notLast(completion: $0, priority: priority) } }

    func notLast(priority: Int) async throws -> Profile {
        try await withCompletionHandler { notLast(completion: $0, priority: priority) }
    }

    func withProgress(progress: ((Double) -> Void)? = nil, completion: @escaping (Profile?, Error?) -> Void) {
        progress?(1)
        completion(Profile(), nil)
    }

    func withProgress(progress: ((Double) -> Void)? = nil) -> Future<Profile> {
        future { withProgress(progress: progress, completion: $0) }
    }

    func withProgress(progress: ((Double) -> Void)? = nil) async throws -> Profile {
        try await withCompletionHandler { withProgress(progress: progress, completion: $0) }
    }

    func throwing(completion: @escaping (Profile?, Error?) -> Void) throws { completion(Profile(), nil) }

    func throwing() -> Future<Profile> { future { try throwing(completion: $0) } }

    func throwing() async throws -> Profile { try await withCompletionHandler { try throwing(completion: $0) } }

    func keyword(in folder: String, for id: Int, default: Int, completion: @escaping (Profile?, Error?) -> Void) {
        completion(Profile(name: folder), nil)
    }

    func keyword(in folder: String, for id: Int, default: Int) -> Future<Profile> {
        future { keyword(in: folder, for: id, default: `default`, completion: $0) }
    }

    func keyword(in folder: String, for id: Int, default: Int) async throws -> Profile {
        try await withCompletionHandler { keyword(in: folder, for: id, default: `default`, completion: $0) }
    }

    func generic<Value: Decodable>(_ type: Value.Type, completion: @escaping (Result<Value, Error>) -> Void)
    where Value: Equatable {
        completion(.failure(LoadError.offline))
    }

    func generic<Value: Decodable>(_ type: Value.Type) -> Future<Value> where Value: Equatable, Value: Sendable {
        future { generic(type, completion: $0) }
    }

    func generic<Value: Decodable>(_ type: Value.Type) async throws -> Value where Value: Equatable, Value: Sendable {
        try await withCompletionHandler { generic(type, completion: $0) }
    }

    func inAndOut(_ counter: inout Int, completion: @escaping (Int) -> Void) {
        counter += 1
        completion(counter)
    }

    func inAndOut(_ counter: inout Int) -> Future<Int> { future { inAndOut(&counter, completion: $0) } }

    func inAndOut(_ counter: inout Int) async throws -> Int {
        try await withCompletionHandler { inAndOut(&counter, completion: $0) }
    }

    func lazily(_ message: @autoclosure () -> String, completion: @escaping (String) -> Void) { completion(message()) }

    func lazily(_ message: @autoclosure () -> String) -> Future<String> { future { lazily(message(), completion: $0) } }

    func lazily(_ message: @autoclosure () -> String) async throws -> String {
        try await withCompletionHandler { lazily(message(), completion: $0) }
    }

    static func shared(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

    static func shared() -> Future<Profile> { future { shared(completion: $0) } }

    static func shared() async throws -> Profile { try await withCompletionHandler { shared(completion: $0) } }

    @available(*, deprecated, message: "Use load.")
    @discardableResult
    private func old(completion: @escaping (Profile?, Error?) -> Void) -> Task<Void, Never> {
        Task {}
    }

    @available(*, deprecated, message: "Use load.")
    private func old(cancelToken: CancelToken) -> Future<Profile> {
        future(cancelToken: cancelToken) { old(completion: $0) }
    }

    @available(*, deprecated, message: "Use load.")
    private func old() async throws -> Profile { try await withCompletionHandler { old(completion: $0) } }

    func aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(
        _ firstParameter: String, secondParameter: [String: Int], thirdParameter: Set<String>,
        completion: @escaping (Profile?, Error?) -> Void
    ) {
        completion(Profile(), nil)
    }

    func aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(
        _ firstParameter: String, secondParameter: [String: Int], thirdParameter: Set<String>
    ) -> Future<Profile> {
        future {
            aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(firstParameter, secondParameter: secondParameter, thirdParameter: thirdParameter, completion: $0)
        }
    }

    func aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(
        _ firstParameter: String, secondParameter: [String: Int], thirdParameter: Set<String>
    ) async throws -> Profile {
        try await withCompletionHandler {
            aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(firstParameter, secondParameter: secondParameter, thirdParameter: thirdParameter, completion: $0)
        }
    }

    // Not completion handlers.
    func transform(_ transform: @escaping (Profile) -> Int) -> Int { transform(Profile()) }
    func observe(_ handler: @escaping (Profile) -> Void) {}
    func download(progress: @escaping (Double) -> Void) {}
    init() {}
    init(completion: @escaping (Profile?) -> Void) { completion(nil) }
}

/// Loads a profile.
///
/// - Parameter completion: Gets the profile.
func loadAtTop(_ id: Int, completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

/// Loads a profile.
///
/// - Returns: A future of the result.
func loadAtTop(_ id: Int) -> Future<Profile> { future { loadAtTop(id, completion: $0) } }

/// Loads a profile.
///
/// - Returns: The result.
func loadAtTop(_ id: Int) async throws -> Profile { try await withCompletionHandler { loadAtTop(id, completion: $0) } }

extension LegacyClient {
    func inExtension(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

    func inExtension() -> Future<Profile> { future { inExtension(completion: $0) } }

    func inExtension() async throws -> Profile { try await withCompletionHandler { inExtension(completion: $0) } }
}

struct Counter {
    var count = 0
    mutating func next(completion: @escaping (Int) -> Void) {
        count += 1
        completion(count)
    }

    mutating func next() -> Future<Int> { future { next(completion: $0) } }

    mutating func next() async throws -> Int { try await withCompletionHandler { next(completion: $0) } }
}
