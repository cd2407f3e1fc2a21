import Dispatch
import SimpleFutures
import Testing

@testable import TestSupport

/// A future or a stream, whose callbacks on a context are called with numbers.
private enum Subject: CaseIterable {
    case future, stream

    /// Calls `body` with 0 on the context, and returns a closure that makes it called with another number.
    func begin(
        on context: any ExecutionContext, _ body: @escaping @Sendable (Int) -> Void
    ) -> (start: @Sendable () -> Void, add: @Sendable (Int) -> Void) {
        switch self {
        case .future:
            let future = Future<Void>()
            future.onSuccess(context: context) { body(0) }
            return ({ future.success() }, { number in future.onSuccess(context: context) { body(number) } })
        case .stream:
            let stream = FutureStream<Int>(capacity: 0)
            stream.onSuccess(context: context, completion: body)
            return ({ stream.success(0) }, { number in stream.success(number) })
        }
    }
}

@Suite("Promise 6: a thread runs the pending callbacks and 64 more, and another thread runs the rest", .watchdog)
struct AllowanceTests {
    @Test(arguments: Subject.allCases)
    private func `callbacks that other threads add beyond that run elsewhere, in order`(_ subject: Subject) async {
        let heard = Log<(number: Int, isHere: Bool)>()
        let (mayGoOn, hasBegun) = (Signal(), Signal())
        let here = Box<UInt>(0)
        let (start, add) = subject.begin(on: immediate) { number in
            heard.add((number, here.value == threadNumber()))
            if number == 0 {
                hasBegun.open()
                #expect(mayGoOn.pass())
            }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for number in 1...1_000 { add(number) }
            mayGoOn.open()
        }
        await onThread {
            here.value = threadNumber()
            start()
            // The system may give the rest to the same thread.
            here.value = 0
        }
        await added
        await until { heard.all.count == 1_001 }
        #expect(heard.all.map(\.number) == Array(0...1_000))
        let countHere = heard.all.count { $0.isHere }
        #expect((1...66).contains(countHere))
    }

    @Test(arguments: Subject.allCases)
    private func `callbacks that the thread adds itself run on that thread`(_ subject: Subject) async {
        let all = Array(0...10_000)
        let heard = await onThread {
            let heard = Log<Int>()
            let add = Box<@Sendable (Int) -> Void>({ _ in })
            let parts = subject.begin(on: immediate) { number in
                heard.add(number)
                // Each callback adds two, so that more callbacks wait than run.
                for next in [2 * number + 1, 2 * number + 2] where next <= 10_000 { add.value(next) }
            }
            add.value = parts.add
            parts.start()
            add.value = { _ in }
            return heard.all
        }
        #expect(heard == all)
    }

    @Test(arguments: Subject.allCases)
    private func `callbacks for mainImmediate added by other threads run on the main queue`(_ subject: Subject) async {
        let heard = Log<Int>()
        let (mayGoOn, hasBegun) = (Signal(), Signal())
        let parts = subject.begin(on: QueueContext.mainImmediate) { number in
            dispatchPrecondition(condition: .onQueue(.main))
            heard.add(number)
            if number == 0 {
                hasBegun.open()
                #expect(mayGoOn.pass())
            }
        }
        async let added: Void = onThread {
            #expect(hasBegun.pass())
            for number in 1...200 { parts.add(number) }
            mayGoOn.open()
        }
        DispatchQueue.main.async { parts.start() }
        await added
        await until { heard.all.count == 201 }
        #expect(heard.all == Array(0...200))
    }
}
