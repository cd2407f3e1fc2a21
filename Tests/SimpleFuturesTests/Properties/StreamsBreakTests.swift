import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Streams: nobody is held who delivers what others emit", .watchdog, .serialized)
struct StreamsBreakTests {
    @Test(arguments: [0, 3])
    func `whoever registers an immediate callback returns, however fast another thread emits`(_ links: Int) async {
        let promise = StreamPromise<Int>(capacity: 10)
        let isOver = Box(false)
        let count = Box(0)
        let isAtIt = Signal()
        async let emitted: Void = onThread {
            while !isOver.value {
                count.change { $0 += 1 }
                promise.success(count.value)
                if count.value == 100 { isAtIt.open() }
            }
        }
        let heard = Log<Int>()
        await onThread {
            #expect(isAtIt.pass())
            // Slower than whoever emits without calling it.
            let stream = (0..<links).reduce(promise.stream) { stream, _ in
                stream.map(context: ImmediateContext()) { $0 }
            }
            stream.onSuccess(context: ImmediateContext()) { value in
                heard.add(value)
                for _ in 0..<100 { _ = isOver.value }
            }
            isOver.value = true
        }
        await emitted
        let all = heard.all
        #expect(!all.isEmpty)
        #expect(all == Array(all[0]..<all[0] + all.count))
        #expect(all.last == count.value)
    }
}
