import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Futures: nobody is held who delivers what others register", .watchdog, .serialized)
struct FuturesBreakTests {
    @Test func `whoever registers an immediate callback returns, however fast another thread registers`() async {
        let future = Future(value: 1)
        let isOver = Box(false)
        let isAtIt = Signal()
        let count = Box(0)
        let heard = Log<Int>()
        let begun = Signal()
        async let registered: Void = onThread {
            #expect(begun.pass())
            while !isOver.value {
                let number = count.value + 1
                count.value = number
                future.onSuccess(context: ImmediateContext()) { _ in
                    heard.add(number)
                    // Slower than whoever registers without calling it.
                    for _ in 0..<100 { _ = isOver.value }
                }
                if number == 100 { isAtIt.open() }
            }
        }
        await onThread {
            future.onSuccess(context: ImmediateContext(), cancelToken: CancelToken()) { _ in
                begun.open()
                #expect(isAtIt.pass())
            }
            isOver.value = true
        }
        await registered
        #expect(heard.all == Array(1...count.value))
    }
}
