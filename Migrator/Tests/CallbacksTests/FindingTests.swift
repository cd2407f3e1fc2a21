import SourceFiles
import Testing

@testable import Callbacks

/// The functions with completion handlers in a text.
func functions(in text: String) -> [CallbackFunction] {
    let facts = FileFacts(SourceFile(path: "test.swift", text: text))
    let aliases = AliasTable([facts])
    return facts.functions.compactMap { CallbackFunction($0, path: "test.swift", aliases: aliases) }
}

@Suite struct FindingCompletionHandlers {
    @Test(arguments: [
        ("func load(completion: @escaping () -> Void)", "()"),
        ("func load(completion: @escaping (Int) -> Void)", "(T)"),
        ("func load(completion: @escaping (Int, Error?) -> Void)", "(T, Error?)"),
        ("func load(completion: @escaping (Int?, (any Error)?) -> Void)", "(T?, Error?)"),
        ("func load(completion: @escaping (Int?, Error?) -> ())", "(T?, Error?)"),
        ("func load(completion: ((Int?, NSError?) -> Void)?)", "(T?, Error?)"),
        ("func load(completion: Optional<(Error?) -> Void>)", "(Error?)"),
        ("func load(_ completion: @escaping @Sendable (Result<[Int: String], MyError>) -> Void)", "(Result<T, E>)"),
        ("func load(completion: @escaping (Data?, URLResponse?, Error?) -> Swift.Void)", "(A?, B?, Error?)"),
        ("func load(completion: @escaping (Data, Int, Error?) -> Void)", "(A, B, Error?)"),
        ("func load(completion: @escaping (Error?, Int?) -> Void)", "(Error?, T?)"),
        ("func load(completion: @escaping (Error?, Int) -> Void)", "(Error?, T)"),
        ("func load(completion: @escaping (Int, Bool) -> Void)", "(A, B, …)"),
        ("func load(completion: @escaping (Int, Bool, String, Error?) -> Void)", "(A, B, …)"),
        ("func load(success: @escaping (Int) -> Void, failure: @escaping (Error) -> Void)", "(T), (Error)"),
        ("func load(onError: @escaping (Error) -> Void, onSuccess: @escaping (Int) -> Void)", "(T), (Error)"),
        ("func load(success: @escaping (Int) -> Void, failure: @escaping () -> Void)", "other"),
        ("func load(success: @escaping (Int) -> Void, error: @escaping (String) -> Void)", "other"),
        ("func load(onError: @escaping (Error) -> Void, completion: @escaping (Int) -> Void)", "(T)"),
        ("@objc func load(_ id: Int, withCompletionHandler handler: @escaping (Int) -> Void)", "(T)"),
        ("func fetch(_ handler: @escaping (Int) -> Void)", "(T)"),
        ("func anything(_ x: @escaping (Result<Int, Error>) -> Void)", "(Result<T, E>)"),
        ("init(url: URL, completion: @escaping (Int) -> Void)", "(T)"),
    ])
    func `Reads the shape of a completion handler`(_ declaration: String, shape: String) throws {
        let function = try #require(functions(in: "class C { \(declaration) {} }").first)
        #expect(function.shape.name == shape)
    }

    @Test(arguments: [
        "func map(_ transform: @escaping (Int) -> String)",
        "func load(completion: (Int) -> Void)",
        "func load(completion: @escaping (Int) async -> Void)",
        "func load(completion: @escaping (inout Int) -> Void)",
        "func load(message: @autoclosure @escaping () -> Void)",
        "func load(progress: @escaping (Double) -> Void)",
        "func observe(_ handler: @escaping (Int) -> Void)",
        "func addObserver(using block: @escaping (Result<Int, Error>) -> Void)",
        "func perform(_ work: @escaping () -> Void)",
        "func button(title: String, handler: @escaping (UIAlertAction) -> Void)",
        "init(onTap: @escaping () -> Void)",
        "func onPurchaseCompleted(_ completed: @escaping (Int) -> Void) -> some View",
        "func load(completion: Completion)",
        "func configureScope(_ callback: @escaping (Scope) -> Void)",
        "func update(handler: @escaping (Response) -> Void) -> BidirectionalStreamingCall<Request, Response>",
    ])
    func `Doesn't take another closure for one`(_ declaration: String) {
        #expect(functions(in: "class C { \(declaration) {} }").map(\.facts.fullName) == [])
    }

    @Test func `Resolves typealiases: generic, nested, optional, of others, of results`() {
        let text = """
            typealias Handler<T> = (Result<T, LoadError>) -> Void
            typealias Other = Handler<Int>
            typealias Maybe = ((Int?, Error?) -> Void)?
            typealias Outcome<T> = Result<T, Error>
            class A {
                typealias Completion = (Error?) -> Void
                func one(completion: @escaping Handler<[String]>)
                func two(completion: @escaping Other)
                func three(completion: Maybe)
                func four(completion: @escaping (Outcome<Bool>) -> Void)
                func five(completion: @escaping Completion)
                func six(completion: Completion?)
            }
            class B {
                typealias Completion = (Int, Error?) -> Void
                func seven(completion: @escaping Completion)
                func eight(completion: @escaping A.Completion)
            }
            """
        let found = functions(in: text)
        #expect(
            found.map(\.shape) == [
                .result("[String]", error: "LoadError"), .result("Int", error: "LoadError"),
                .optionalAndError("Int", error: "Error"), .result("Bool", error: "Error"), .error("Error"),
                .error("Error"),
                .valueAndError("Int", error: "Error"), .error("Error"),
            ])
        #expect(found.map { $0.shape.typedError } == ["LoadError", "LoadError", nil, nil, nil, nil, nil, nil])
        #expect(found.map { $0.closure?.isOptional } == [false, false, true, false, false, true, false, false])
    }

    @Test func `Resolves an optional typealias by the name of the parameter`() {
        let text = "typealias Loaded = (Int?, Error?) -> Void\nfunc load(done: Loaded? = nil) {}"
        #expect(functions(in: text).map(\.shape.name) == ["(T?, Error?)"])
    }

    @Test func `Names a typealias that isn't declared in the files`() throws {
        let function = try #require(functions(in: "func load(completion: @escaping SDK.Handler<Int>) {}").first)
        #expect(function.shape == .unknown("SDK.Handler"))
        #expect(
            function.call
                == .byHand(
                    "The typealias SDK.Handler isn't declared in the given paths: add the path that declares it."))
    }

    @Test(arguments: [
        (
            "func load(id: Int, in folder: String, _ completion: @escaping (Int) -> Void)",
            "future { load(id: id, in: folder, $0) }"
        ),
        (
            "func load(for x: Int, completion: @escaping (Int) -> Void) throws",
            "future { try load(for: x, completion: $0) }"
        ),
        (
            "func load(success: @escaping (Int) -> Void, failure: @escaping (Error) -> Void)",
            "future { load(success: $0, failure: $1) }"
        ),
        (
            "func load<each T>(_ ids: repeat each T, completion: @escaping (Int) -> Void)",
            "future { load(repeat each ids, completion: $0) }"
        ),
    ])
    func `Shows the call`(_ declaration: String, call: String) throws {
        #expect(try #require(functions(in: declaration + " {}").first).call == .future(call))
    }

    @Test(arguments: [
        ("func load(completion: @escaping (Int) -> Void) -> URLSessionDataTask?", true),
        ("func load(completion: @escaping (Int) -> Void) -> any Cancellable", true),
        ("func load(completion: @escaping (Int) -> Void) -> Bool", false),
    ])
    func `Takes a token if a handle is returned, and no other result`(_ declaration: String, isHandle: Bool) throws {
        let function = try #require(functions(in: declaration + " {}").first)
        if case .cancellable(let call) = function.call {
            #expect(isHandle && call == "future(cancelToken: cancelToken) { load(completion: $0) }")
        } else {
            #expect(!isHandle)
        }
    }

    @Test(arguments: [
        "func application(_ application: UIApplication, didReceive x: Int, completionHandler: @escaping (Int) -> Void)",
        "func urlSession(_ s: URLSession, task: T, didReceive c: C, completionHandler: @escaping (Int) -> Void)",
        "func urlSession(_ s: URLSession, task: T, needNewBodyStream completionHandler: @escaping (S?) -> Void)",
        "func webView(_ webView: WKWebView, decidePolicyFor a: A, decisionHandler: @escaping (P) -> Void)",
        "func application(_ a: UIApplication, performFetchWithCompletionHandler handler: @escaping (R) -> Void)",
        "func didReceive(_ r: R, withContentHandler contentHandler: @escaping (Content) -> Void)",
    ])
    func `Knows functions that the system calls`(_ declaration: String) {
        let text = "class D { \(declaration) {} }"
        #expect(functions(in: text).map(\.isCalledBySystem) == [true])
    }
}
