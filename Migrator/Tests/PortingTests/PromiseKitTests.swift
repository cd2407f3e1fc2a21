import Porting
import Testing

@Suite struct `Coming from PromiseKit` {
    private func ported(_ text: String) -> String { PortingTests.ported(text, from: .promisekit) }
    private func left(_ text: String) -> [String] { PortingTests.left(text, from: .promisekit) }

    @Test func `Types are renamed`() {
        #expect(ported("func load() -> Promise<Int>") == "func load() -> Future<Int>")
        #expect(ported("var all: [Guarantee<Int>] = []") == "var all: [Future<Int>] = []")
    }

    @Test func `Generic parameters become Sendable`() {
        #expect(ported("func f<T>() -> Promise<[T]>") == "func f<T: Sendable>() -> Future<[T]>")
        #expect(
            ported("class C<T: Codable, U> {\n    var a: [Promise<T>]\n    func f<V>(_ v: V) -> Promise<(T, V)>\n}")
                == "class C<T: Codable & Sendable, U> {\n    var a: [Future<T>]\n"
                + "    func f<V: Sendable>(_ v: V) -> Future<(T, V)>\n}")
        let text = "func f<T: Sendable, U>(_ u: U) -> Promise<(T, U)> where U: Codable & Sendable"
        #expect(ported(text) == text.replacing("Promise", with: "Future"))
    }

    @Test func `Types of generic parameters become Sendable, and not the parameters`() {
        #expect(
            ported("func f<R: Request>(_ r: R) -> Promise<R.Response> { let a: Promise<[R.Response]> = g(r) }")
                == "func f<R: Request>(_ r: R) -> Future<R.Response> where R.Response: Sendable "
                + "{ let a: Future<[R.Response]> = g(r) }")
        #expect(
            ported("func f<R: Request, S>(_ r: R) -> Promise<(R.A, R.B, S)> where S: Equatable {}")
                == "func f<R: Request, S: Sendable>(_ r: R) -> Future<(R.A, R.B, S)> where S: Equatable, R.A: Sendable, "
                + "R.B: Sendable {}")
    }

    @Test func `Values and errors`() {
        #expect(ported("let a = Promise.value(3)") == "let a = Future(value: 3)")
        #expect(ported("let a = Promise<Int>.value(3)") == "let a = Future<Int>(value: 3)")
        #expect(ported("let a = Promise<Int>(error: e)") == "let a = Future<Int>(error: e)")
        #expect(ported("func f() -> Promise<Int> { .value(3) }") == "func f() -> Future<Int> { .init(value: 3) }")
        #expect(ported("func f() -> Shape { .value(3) }") == "func f() -> Shape { .value(3) }")
    }

    @Test func `A promise without a value is fulfilled, and a future without one would be pending`() {
        #expect(ported("func f() -> Promise<Void> { Promise() }") == "func f() -> Future<Void> { Future(value: ()) }")
        #expect(ported("let a = Guarantee<Void>()") == "let a = Future<Void>(value: ())")
        #expect(ported("let a = Promise<Void>.init()") == "let a = Future<Void>.init(value: ())")
        #expect(ported("let a: Promise<Void> = .init()") == "let a: Future<Void> = .init(value: ())")
        #expect(ported("func f() -> Promise<Void> { .init() }") == "func f() -> Future<Void> { .init(value: ()) }")
        #expect(ported("func f() -> Shape { .init() }") == "func f() -> Shape { .init() }")
    }

    @Test func `A seal that is fulfilled and rejected`() {
        #expect(
            ported("let a = Promise<Int> { seal in load { seal.fulfill($0) } failure: { seal.reject($0) } }")
                == "let a = Future<Int> { complete in load { complete(.success($0)) } failure: { complete(.failure($0)) } }"
        )
        #expect(
            ported("let a = Promise<Void> { seal in seal.fulfill(()) }")
                == "let a = Future<Void> { complete in complete(.success(())) }")
        #expect(
            ported("let a = Guarantee<Int> { seal in load { seal($0) } }")
                == "let a = Future<Int> { complete in load { complete(.success($0)) } }")
        #expect(
            ported("let a = Guarantee<Void> { seal in load { seal() } }")
                == "let a = Future<Void> { complete in load { complete(.success(())) } }")
    }

    @Test func `A chain with its end`() {
        #expect(
            ported(
                """
                func run() {
                    firstly {
                        login()
                    }.then { user in
                        avatar(of: user)
                    }.done(on: queue) { image in
                        show(image)
                    }.ensure {
                        stop()
                    }.catch { error in
                        show(error)
                    }
                }
                """) == """
                    func run() {
                        login().flatMap { user in
                            avatar(of: user)
                        }.map(context: queue) { image in
                            show(image)
                        }.ensure {
                            stop()
                        }.onFailure { error in
                            show(error)
                        }
                    }
                    """)
    }

    @Test func `done in a chain that is returned is map`() {
        #expect(
            ported("func run() -> P { return load().done { use($0) } }")
                == "func run() -> P { return load().map { use($0) } }")
        #expect(ported("func run() -> P { load().done { use($0) } }") == "func run() -> P { load().map { use($0) } }")
        #expect(ported("let p = load().done { use($0) }") == "let p = load().map { use($0) }")
        #expect(ported("func run() { load().done { use($0) } }") == "func run() { load().onSuccess { use($0) } }")
        #expect(
            ported("load().done { other().done { use($0) } }.cauterize()")
                == "load().onSuccess { other().onSuccess { use($0) } }")
    }

    @Test func `done whose closure throws is map, so that the error goes on`() {
        #expect(
            ported("load().done { try use($0) }.catch { show($0) }")
                == "load().map { try use($0) }.onFailure { show($0) }")
        #expect(
            ported("load().done { try? use($0) }.catch { show($0) }")
                == "load().onSuccess { try? use($0) }.onFailure { show($0) }")
    }

    @Test func `ensure and finally wait for the closure of done`() {
        #expect(
            ported("load().done(on: q) { a($0) }.ensure { b() }.catch { c($0) }")
                == "load().map(context: q) { a($0) }.ensure { b() }.onFailure { c($0) }")
        #expect(
            ported("load().done { a($0) }.ensure(on: q) { b() }.catch { c($0) }")
                == "load().map { a($0) }.ensure(context: q) { b() }.onFailure { c($0) }")
        #expect(
            ported("load().done(on: q) { a($0) }.catch { c($0) }.finally { b() }")
                == "load().map(context: q) { a($0) }.onFailure { c($0) }.ensure { b() }")
        #expect(
            ported("load().done(on: .main) { a($0) }.ensure { b() }.cauterize()")
                == "load().onSuccess(context: .main) { a($0) }.ensure { b() }")
        #expect(
            ported("load().done(on: q) { a($0) }.catch { c($0) }")
                == "load().onSuccess(context: q) { a($0) }.onFailure { c($0) }")
        #expect(left("load().catch(on: q) { a($0) }.finally { b() }") == [".finally { end() }"])
        #expect(
            ported("load().done { a($0) }.ensure { b() }.then { more() }.catch { c($0) }")
                == "load().map { a($0) }.ensure { b() }.flatMap { more() }.onFailure { c($0) }")
    }

    @Test func `A closure or a function in the parentheses gets a label`() {
        #expect(
            ported("load().then(next).map(on: q, parse).catch({ a($0) })")
                == "load().flatMap(mapping: next).map(context: q, mapping: parse).onFailure(completion: { a($0) })")
        #expect(
            ported("load().asVoid().map(\\.name).map(on: q, \\.count)")
                == "load().asVoid().map(\\.name).map(context: q, mapping: \\.count)")
        #expect(ported("load().ensure(hide).cauterize()") == "load().ensure(hide)")
    }

    @Test func `A method of another type with the same name is not a link`() {
        let text = """
            client.get(path) { a($0) }
            service.catch(code: 3) { b() }
            view.ensure(isOn, "off")
            request.get { data in a(data) }
            """
        #expect(port(text, from: .promisekit)?.calls == [])
    }

    @Test func `A pending promise and its seal become one promise, if the seal is only fulfilled and rejected`() {
        let body = """
            let (promise, seal) = Promise<Int>.pending()
            load { value, error in
                if let value { seal.fulfill(value) } else { seal.reject(error!) }
            }
            return promise
            """
        #expect(
            ported("func f() -> Promise<Int> {\n\(body)\n}") == """
                func f() -> Future<Int> {
                let promise = Promise<Int>()
                load { value, error in
                    if let value { promise.success(value) } else { promise.failure(error!) }
                }
                return promise.future
                }
                """)
        let pending = "let (promise, seal) = Promise<T>.pending()"
        #expect(left("func f() {\n\(body)\nkeep(seal)\n}").contains(pending))
        #expect(left("func f() {\n\(body)\nseal.resolve(1, nil)\n}").contains(pending))
        #expect(left("func f() {\n\(body)\nlet seal = 1\n}").contains(pending))
        #expect(left("let (guarantee, seal) = Guarantee<Int>.pending()").contains(pending))
        let variable = body.replacing("let (", with: "var (").replacing("return", with: "promise = a(promise)\nreturn")
        #expect(left("func f() {\n\(variable)\n}").contains(pending))
    }

    @Test func `firstly with one call is that call, unless its closure tells the type`() {
        #expect(left("firstly { () -> Promise<Int> in load(1) }.then { a($0) }.cauterize()") == ["firstly { load() }"])
        #expect(left("let a = firstly { () -> Promise<Int> in load(1) }") == ["firstly { load() }"])
        #expect(
            ported("func f() -> Promise<Int> { return firstly { () -> Promise<Int> in load(1) } }")
                == "func f() -> Future<Int> { return load(1) }")
        #expect(ported("firstly { return load(1) }.then { a($0) }") == "load(1).flatMap { a($0) }")
        #expect(left("firstly { () -> Promise<Int> in .value(1) }.cauterize()").contains("firstly { load() }"))
        #expect(left("firstly { [weak self] in self!.load() }.cauterize()").contains("firstly { load() }"))
    }

    @Test func `firstly with more than one call is left`() {
        let several = "firstly {\nlet a = 1\nreturn load(a)\n}.cauterize()"
        #expect(left(several) == ["firstly { load() }"])
        #expect(left("firstly { try load() }.cauterize()") == ["firstly { load() }"])
        #expect(left("firstly {\n// why\nload()\n}.cauterize()") == ["firstly { load() }"])
    }

    @Test func `Contexts`() {
        #expect(ported("load().then(on: nil) { a($0) }") == "load().flatMap(context: .immediate) { a($0) }")
        #expect(
            ported("load().then(on: .global()) { a($0) }")
                == "load().flatMap(context: .global) { a($0) }")
        #expect(
            ported("load().then(on: .global(qos: .utility)) { a($0) }")
                == "load().flatMap(context: DispatchQueue.global(qos: .utility)) { a($0) }")
        #expect(left("load().then(on: q, flags: .barrier) { a($0) }") == ["flags: .barrier"])
        #expect(
            ported("let p = DispatchQueue.global().async(.promise) { f() }")
                == "let p = future(context: .global) { f() }")
        #expect(
            ported("let p = q.async(.promise) { f() }.map(on: q) { g($0) }")
                == "let p = future(context: q) { f() }.map(context: q) { g($0) }")
    }

    @Test func `Many promises`() {
        #expect(ported("let p = when(fulfilled: a, b)") == "let p = zip(a, b)")
        #expect(ported("let p = when(fulfilled: all)") == "let p = all.sequence()")
        #expect(ported("let p = when(fulfilled: ids.map { load($0) })") == "let p = ids.map { load($0) }.sequence()")
        #expect(ported("let p = when(resolved: a, b)") == "let p = [a, b].settled()")
        #expect(ported("let p = race(a, b)") == "let p = [a, b].firstCompleted()")
        #expect(ported("let p = race(fulfilled: all)") == "let p = all.firstSucceeded()")
        #expect(
            left("let p = race(load(), after(.seconds(5)).then { throw Late() })").contains {
                $0.hasPrefix("race(load()")
            })
        #expect(left("let p = when(fulfilled: g, concurrently: 4)") == ["when(fulfilled: generator, concurrently: 4)"])
        #expect(left("let p = when(fulfilled: a ?? b)") == ["when(fulfilled: a, b), when(fulfilled: promises)"])
    }

    @Test func `Time`() {
        #expect(ported("let p = after(seconds: 2)") == "let p = Future.after(.seconds(2))")
        #expect(ported("let p = after(.milliseconds(20))") == "let p = Future.after(.milliseconds(20))")
        #expect(left("let p = after(delay)") == ["after(seconds: 2), after(.seconds(2))"])
        #expect(ported("let p = list.after(3)") == "let p = list.after(3)")
    }

    @Test func `The rest of a chain`() {
        #expect(ported("load().get { note($0) }.cauterize()") == "_ = load().andThen { note($0) }")
        #expect(left("let p = load().get { note($0) }") == [".get { note($0) }"])
        #expect(
            ported("load().catch { a($0) }.finally { b() }") == "load().onFailure { a($0) }.ensure { b() }")
        #expect(
            ported("load().catch { a($0) }.finally { [weak self] in b() }")
                == "load().onFailure { a($0) }.ensure { [weak self] in b() }")
        #expect(ported("load().cauterize()\nmore()") == "_ = load()\nmore()")
        #expect(ported("let x = try await load().async()") == "let x = try await load().value")
        #expect(
            ported("let p = load().recover { e -> Promise<Int> in other() }")
                == "let p = load().recoverWith { e -> Future<Int> in other() }")
        #expect(left("let p = load().recover { other($0) }").count == 1)
        #expect(left("load().catch(policy: .allErrors) { a($0) }") == [".catch(policy: .allErrors)"])
        #expect(left("let p = load().tap { a($0) }") == [".tap { note($0) }, with the result"])
    }

    @Test func `Arrays and dictionaries are not promises`() {
        let text = "let a = [1, 2].map { $0 + 1 }\nlet b = names.mapValues { $0.count }\nlet c = cache.get()"
        #expect(port(text, from: .promisekit)?.calls == [])
    }
}
