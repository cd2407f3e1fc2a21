import Foundation
import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// Common forms of closures, and functions with typed errors.
@Suite("Typed errors: compiler diagnostics", .compiler, .watchdog)
struct TypedErrorTests {
    @Test(arguments: [["5"], ["6"]])
    func `every form of closure compiles, and typed errors need neither a catch-all clause nor a default case`(
        _ mode: [String]
    ) async throws {
        let forms = [
            "login.map { try parse($0) }",
            "login.map { parseOrTrap($0) }",
            "login.map(mapping: parse)",
            "login.map { user in let text = try parse(user); print(text); return text }",
            "login.map { user -> String in guard user.id > 0 else { throw LoginError.locked }; return try parse(user) }",
            "login.map { _ -> String in throw LoginError.locked }",
            "login.flatMap { try details($0) }",
            "login.flatMap(mapping: details)",
            "login.flatMap { user in print(user); return try details(user) }",
            "login.mapError { APIError(other: $0) }",
            "login.mapError { error -> APIError in if error == .locked { return .gone }; return APIError(other: error) }",
            "login.recover { _ in User(id: 0) }",
            "login.recover(throwing: APIError.self) { try again($0) }",
            "login.recover(throwing: APIError.self) { error in print(error); throw APIError.gone }",
            "login.recoverWith { _ in TypedFuture<User, APIError>(error: .gone) }",
            "TypedFuture { signIn(\"ada\", completion: $0) }",
            "TypedFuture { done in signIn(\"ada\") { done($0) } }",
            "TypedFuture<User, LoginError> { try await fetch() }",
            "TypedFuture<User, LoginError> { let user = try await fetch(); print(user); return user }",
            "TypedFuture<User, LoginError> { throw LoginError.locked }",
            "TypedFuture<User, LoginError>(operation: fetch)",
            "TypedFuture<User, LoginError>.retry(3) { try load() }",
            "login.zip(login.map { try parse($0) })",
            "[1, 2].traverse { id in login.map { _ in id } }",
            "[login, login].sequence()",
            "[login, login].fold(initial: 0) { sum, user in sum + user.id }",
            "login.onResult { result in if case .failure(.failed(let error)) = result { print(error) } }",
            "login.onSuccess { print($0) }.onFailure { print($0) }",
            "login.ensure { print(\"done\") }.timeout(.seconds(1)).map { try parse($0) }",
        ]
        let functions = """
            func name(_ login: TypedFuture<User, LoginError>) async throws(Stopped<LoginError>) -> Int {
                let user = try await login.value
                return user.id
            }
            func load(_ future: Future<User>) async throws(APIError) -> Int {
                let user = try await future.value(throwing: APIError.self)
                return try await future.typed(as: APIError.self).value.id + user.id
            }
            func stop(_ future: Future<User>, _ token: CancelToken) async throws(APIError) -> User {
                try await future.typed(as: APIError.self).value(cancelling: token)
            }
            func watch(_ users: FutureStream<User>) async throws(APIError) {
                for try await user in users.values(throwing: APIError.self) { print(user) }
                for try await user in users.typed(as: APIError.self).values { print(user) }
                for await result in users.results(throwing: APIError.self) {
                    switch result {
                    case .success(let user): print(user)
                    case .failure(.gone): break
                    case .failure(.other(let error)): print(error)
                    }
                }
            }
            func exhaustive(_ login: TypedFuture<User, LoginError>) async -> Int {
                do {
                    return try await login.value.id
                } catch {
                    switch error {
                    case .failed(.locked), .cancelled: return 0
                    case .timedOut, .broken, .other: return 1
                    }
                }
            }
            func sure(_ login: TypedFuture<User, Never>) async -> Int {
                switch await login.result {
                case .success(let user): return user.id
                case .failure(.cancelled), .failure(.timedOut), .failure(.broken), .failure(.other): return 0
                }
            }
            func generic<E>(_ future: TypedFuture<User, E>) async throws(Stopped<E>) -> User {
                try await future.value
            }
            """
        #expect(try await Compiler.typeCheck(source(of: forms) + functions, mode: mode).map(\.description) == [])
    }

    @Test(arguments: [["5"], ["6"]])
    func `a chain of fourteen closures type-checks in less than 100 ms`(_ mode: [String]) async throws {
        let chain = """
            func chain(_ login: TypedFuture<User, LoginError>) -> TypedFuture<Int, APIError> {
                login.map { try parse($0) }
                    .map { $0.count }
                    .map { $0 + 1 }
                    .flatMap { number in TypedFuture<Int, LoginError>(value: number * 2) }
                    .map { number in let next = number + 1; return "\\(next)" }
                    .ensure { print("done") }
                    .map { "\\($0)!" }
                    .timeout(.seconds(1))
                    .map { $0.count }
                    .mapError { _ in APIError.gone }
                    .recover(throwing: APIError.self) { _ in 1 }
                    .map { try parse(User(id: $0)).count }
                    .map { $0 * 2 + 1 }
                    .ensure { print("end") }
            }
            """
        let flags = ["-Xfrontend", "-warn-long-expression-type-checking=100"]
        #expect(try await Compiler.typeCheck(declarations + chain, mode: mode + flags).map(\.description) == [])
    }

    @Test func `an error of another type is the compiler's error`() async throws {
        let mistakes = """
            func wrong(_ login: TypedFuture<User, LoginError>) async throws(LoginError) -> User { try await login.value }
            func mixed(_ login: TypedFuture<User, LoginError>, _ other: TypedFuture<User, APIError>) {
                _ = login.zip(other)
            }
            """
        let errors = try await Compiler.typeCheck(declarations + mistakes).filter { $0.severity == "error" }
        #expect(errors.map(\.message).first?.contains("'Stopped<LoginError>'") == true)
        #expect(errors.count == 2, "\(errors)")
    }

    private let declarations = """
        import SimpleFutures
        import SimpleFuturesInterop
        struct User: Sendable { var id: Int }
        enum LoginError: Error { case locked }
        enum APIError: FailureConvertible {
            case gone
            case other(any Error)
            init(other error: any Error) { self = .other(error) }
        }
        @Sendable func parse(_ user: User) throws -> String { "" }
        @Sendable func parseOrTrap(_ user: User) -> String { "" }
        @Sendable func details(_ user: User) throws -> TypedFuture<String, LoginError> { .init(value: "") }
        @Sendable func again(_ error: LoginError) throws -> User { throw error }
        @Sendable func load() throws -> TypedFuture<User, LoginError> { .init(error: .locked) }
        @Sendable func fetch() async throws(LoginError) -> User { throw .locked }
        func signIn(_ name: String, completion: @escaping @Sendable (Result<User, LoginError>) -> Void) {}

        """

    private func source(of calls: [String]) -> String {
        declarations
            + calls.enumerated().map { index, call in
                "func call\(index)(_ login: TypedFuture<User, LoginError>) { _ = \(call) }"
            }.joined(separator: "\n") + "\n"
    }
}
