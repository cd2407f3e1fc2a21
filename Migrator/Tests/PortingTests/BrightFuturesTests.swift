import Porting
import Testing

@Suite struct `Coming from BrightFutures` {
    private func ported(_ text: String) -> String {
        PortingTests.ported(text, from: .brightfutures).replacing("import SimpleFuturesInterop\n", with: "")
    }
    private func left(_ text: String) -> [String] { PortingTests.left(text, from: .brightfutures) }

    @Test func `Types keep their error type`() {
        #expect(
            ported("let f: Future<Int, E> = Future(value: 3)") == "let f: TypedFuture<Int, E> = TypedFuture(value: 3)")
        #expect(ported("let p = Promise<Int, NoError>()") == "let p = TypedPromise<Int, Never>()")
    }

    @Test func `Contexts and tokens`() {
        #expect(ported("f.onSuccess(queue.context) { a($0) }") == "f.onSuccess(context: queue) { a($0) }")
        #expect(
            ported("f.onFailure(ImmediateExecutionContext) { a($0) }")
                == "f.onFailure(context: .immediate) { a($0) }")
        #expect(
            ported("f.map(immediateExecutionContext) { a($0) }.onSuccess(immediateOnMainExecutionContext) { b($0) }")
                == "f.map(context: .immediate) { a($0) }.onSuccess(context: .mainImmediate) { b($0) }"
        )
        #expect(
            ported("var token: InvalidationToken?\nfunc f() { self.token?.invalidate() }")
                == "var token: CancelToken?\nfunc f() { self.token?.cancel() }")
        #expect(ported("f.onSuccess(token.validContext) { a($0) }") == "f.onSuccess(cancelToken: token) { a($0) }")
        #expect(
            ported("let token = InvalidationToken()\ntoken.invalidate()\ntimer.invalidate()")
                == "let token = CancelToken()\ntoken.cancel()\ntimer.invalidate()")
    }

    @Test func `Making futures`() {
        #expect(
            ported("let f = materialize { load(completion: $0) }") == "let f = future(method: { load(completion: $0) })"
        )
        #expect(ported("let f = queue.asyncValue { read() }") == "let f = future(context: queue) { read() }")
    }

    @Test func `A call that a future with an error type lacks is left`() {
        #expect(ported("let f = g.asVoid()") == "let f = g.map(context: .immediate) { _ in }")
        #expect(left("let f = g.filter { $0 > 1 }.onSuccess { a($0) }").count == 1)
        #expect(left("let f = all.find { $0 > 1 }").count == 1)
    }

    @Test func `Combining`() {
        #expect(ported("let f = g.flatten()") == "let f = g.flatMap(context: .immediate) { $0 }")
        #expect(ported("let f = g.delay(2.seconds)") == "let f = g.delay(.seconds(2))")
        #expect(ported("let f = all.fold(0, f: { $0 + $1 })") == "let f = all.fold(initial: 0) { $0 + $1 }")
    }

    @Test func `A call with another closure is left`() {
        #expect(left("f.onComplete { show($0) }") == ["Result<T, E> in callbacks"])
        #expect(left("let g = f.andThen { note($0) }") == ["f.andThen { result in note(result) }"])
        #expect(left("let x = f.forced()") == ["f.forced()"])
    }
}
