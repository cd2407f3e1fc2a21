import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("MaxStackDepthContext", .watchdog)
struct MaxStackDepthContextTests {
    @Test func `tasks run inside each other up to the depth, then on the global queue`() async {
        await onThread {
            let key = DispatchSpecificKey<Bool>()
            let here = DispatchQueue(label: "here")
            here.setSpecific(key: key, value: true)
            let log = Log<Bool>()
            let done = Gate()
            let context = MaxStackDepthContext(maxDepth: 3)
            @Sendable func nest(_ levels: Int) {
                context.execute {
                    log.add(DispatchQueue.getSpecific(key: key) == true)
                    if levels > 1 { nest(levels - 1) } else { done.open() }
                }
            }
            here.sync { nest(4) }
            done.pass()
            #expect(log.all == [true, true, true, false])
        }
    }

    @Test func `the depth is restored`() {
        let log = Log<Int>()
        let context = MaxStackDepthContext(maxDepth: 1)
        for number in 1...100 { context.execute { log.add(number) } }
        #expect(log.all == Array(1...100))
    }

    @Test func `callbacks run at once, however long the chain`() {
        let log = Log<Int>()
        let source = Future<Int>()
        var end = source
        for _ in 0..<1_000 { end = end.map(context: MaxStackDepthContext()) { $0 + 1 } }
        end.onSuccess(context: MaxStackDepthContext()) { log.add($0) }
        source.success(0)
        #expect(log.all == [1_000])
    }

    @Test func `a depth of zero stops the program with a message`() async {
        await #expect(processExitsWith: .failure) { _ = MaxStackDepthContext(maxDepth: 0) }
    }
}
