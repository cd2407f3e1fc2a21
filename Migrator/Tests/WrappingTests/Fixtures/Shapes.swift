// Every shape of completion handler, as code from before concurrency writes it.

import Foundation

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
    /// - Parameter completion: Gets the profile, or an error.
    func valueAndError(_ completion: @escaping (Profile, Error?) -> Void) {
        completion(Profile(), nil)
    }
    func onlyError(_ profile: Profile, completion: @escaping (_ error: Error?) -> Void) {
        completion(nil)
    } // the comment stays here

    func value(completion: @escaping (Profile) -> Void) { completion(Profile()) }

    func optionalValue(completion: @escaping (Profile?) -> Void) { completion(nil) }

    func nothing(completion: @escaping () -> Void) { completion() }

    func result(completion: @escaping (Result<Profile, Error>) -> Void) { completion(.success(Profile())) }

    func typedResult(completion: @escaping (Result<Profile, LoadError>) -> Void) { completion(.failure(.offline)) }

    func typedError(completion: @escaping (Profile?, LoadError?) -> Void) { completion(nil, .offline) }

    func voidResult(completion: @escaping (Result<Void, Error>) -> Void) { completion(.success(())) }

    func twoOptionals(completion: @escaping (Profile?, Int?, Error?) -> Void) { completion(Profile(), 1, nil) }

    func twoValues(completion: @escaping (Profile, Int, Error?) -> Void) { completion(Profile(), 1, nil) }

    func errorFirst(completion: @escaping (Error?, Profile?) -> Void) { completion(nil, Profile()) }

    func errorFirstWithValue(completion: @escaping (Error?, Bool) -> Void) { completion(nil, true) }

    func twoValuesWithoutError(completion: @escaping (Profile, Bool) -> Void) { completion(Profile(), true) }

    func four(completion: @escaping (Profile?, Int, Error?, Bool) -> Void) { completion(Profile(), 1, nil, true) }

    func named(completion: @escaping (_ profile: Profile?, _ count: Int?, _ error: Error?) -> Void) {
        completion(Profile(), 1, nil)
    }

    func namedInPart(completion: @escaping (_ profile: Profile, Bool) -> Void) { completion(Profile(), true) }

    func twoHandlers(id: Int, success: @escaping (Profile) -> Void, failure: @escaping (Error) -> Void) {
        success(Profile())
    }

    func twoHandlersForNothing(success: @escaping () -> Void, failure: @escaping (Error) -> Void) { success() }

    func alias(completion: @escaping Completion) { completion(Profile(), nil) }

    func genericAlias(handler: @escaping Handler<[Profile]>) { handler(.success([])) }

    func aliasOfResult(completion: @escaping (LoadResult) -> Void) { completion(.success(Profile())) }

    func optionalHandler(id: Int = 0, completion: ((Profile?, Error?) -> Void)? = nil) { completion?(Profile(), nil) }

    func implicitlyUnwrapped(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

    func notLast(completion: @escaping (Profile?, Error?) -> Void, priority: Int) { completion(Profile(), nil) }

    func withProgress(progress: ((Double) -> Void)? = nil, completion: @escaping (Profile?, Error?) -> Void) {
        progress?(1)
        completion(Profile(), nil)
    }

    func throwing(completion: @escaping (Profile?, Error?) -> Void) throws { completion(Profile(), nil) }

    func keyword(in folder: String, for id: Int, default: Int, completion: @escaping (Profile?, Error?) -> Void) {
        completion(Profile(name: folder), nil)
    }

    func generic<Value: Decodable>(_ type: Value.Type, completion: @escaping (Result<Value, Error>) -> Void)
    where Value: Equatable {
        completion(.failure(LoadError.offline))
    }

    func inAndOut(_ counter: inout Int, completion: @escaping (Int) -> Void) {
        counter += 1
        completion(counter)
    }

    func lazily(_ message: @autoclosure () -> String, completion: @escaping (String) -> Void) { completion(message()) }

    static func shared(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }

    @available(*, deprecated, message: "Use load.")
    @discardableResult
    private func old(completion: @escaping (Profile?, Error?) -> Void) -> Task<Void, Never> {
        Task {}
    }

    func aFunctionWithAVeryLongNameThatNeedsMoreThanOneLine(
        _ firstParameter: String, secondParameter: [String: Int], thirdParameter: Set<String>,
        completion: @escaping (Profile?, Error?) -> Void
    ) {
        completion(Profile(), nil)
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

extension LegacyClient {
    func inExtension(completion: @escaping (Profile?, Error?) -> Void) { completion(Profile(), nil) }
}

struct Counter {
    var count = 0
    mutating func next(completion: @escaping (Int) -> Void) {
        count += 1
        completion(count)
    }
}
