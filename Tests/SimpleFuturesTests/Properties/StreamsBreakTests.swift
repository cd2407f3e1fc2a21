import Dispatch
import SimpleFutures
import Testing

@Suite("Streams: nobody is held who delivers what others emit", .watchdog)
struct StreamsBreakTests {
    @Test func `whoever registers an immediate callback returns, however fast another thread emits`() async {
        let promise = StreamPromise<Int>(capacity: 10)
        let isOver = Box(false)
        let count = Box(0)
        async let emitted: Void = onThread {
            while !isOver.value {
                promise.success(
                    count.change {
                        $0 += 1; return $0
                    })
            }
        }
        let heard = Log<Int>()
        await onThread {
            while count.value < 100 {}
            // Slower than whoever emits without calling it.
            promise.stream.onSuccess(context: ImmediateContext()) { value in
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
