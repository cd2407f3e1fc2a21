import Testing

@testable import SimpleFutures
@testable import TestSupport

@Suite("Breaks during long deliveries", .watchdog)
struct StintTests {
    private final class Thread {
        var stint = Stint()
        var turn: UInt64 = 1
        private let patience: UInt64

        init(patience: UInt64 = 0) { self.patience = patience }

        func makesBreak(before number: UInt64, of end: UInt64) -> Bool {
            stint.isOver(before: number, of: end, in: turn, patience)
        }

        func breaks(before numbers: Range<UInt64>, of end: UInt64) -> [UInt64] {
            numbers.filter { makesBreak(before: $0, of: end) }
        }
    }

    @Test func `what was there when it began needs no break`() {
        let thread = Thread()
        #expect(thread.breaks(before: 0..<10, of: 10) == [])
    }

    @Test func `what has come later needs one break each without patience`() {
        let thread = Thread()
        #expect(!thread.makesBreak(before: 0, of: 3))
        #expect(thread.breaks(before: 0..<6, of: 6) == [3, 4, 5])
        #expect(thread.breaks(before: 6..<10, of: 10) == [6, 7, 8, 9])
    }

    @Test func `several subscribers that get the same element get it after one break`() {
        let thread = Thread()
        #expect(!thread.makesBreak(before: 0, of: 1))
        #expect(thread.makesBreak(before: 1, of: 2))
        for _ in 0..<3 { #expect(!thread.makesBreak(before: 1, of: 2)) }
    }

    @Test func `another delivery begins anew, and one that goes on after a break does not`() {
        let thread = Thread()
        #expect(!thread.makesBreak(before: 0, of: 1))
        #expect(thread.makesBreak(before: 1, of: 9))
        thread.turn = 2
        thread.stint.goOn(in: 2)
        #expect(!thread.makesBreak(before: 1, of: 9))
        #expect(thread.makesBreak(before: 2, of: 9))
        thread.turn = 3
        #expect(!thread.makesBreak(before: 3, of: 9))
        #expect(thread.breaks(before: 3..<9, of: 9) == [])
    }

    @Test func `with patience it lasts a while`() {
        let thread = Thread(patience: 3_600_000)
        #expect(!thread.makesBreak(before: 0, of: 0))
        for number in 0..<1_000 as Range<UInt64> { #expect(!thread.makesBreak(before: number, of: number + 1)) }
    }

    @Test func `it comes to its end`() {
        let thread = Thread(patience: 1)
        #expect(!thread.makesBreak(before: 0, of: 0))
        var number: UInt64 = 0
        while !thread.makesBreak(before: number, of: number + 1) { number += 1 }
        #expect(!thread.makesBreak(before: number, of: number + 1))
    }

    @Test func `as many again as have been delivered come between two looks at the time`() {
        let thread = Thread()
        #expect(!thread.makesBreak(before: 0, of: 100))
        #expect([0, 10, 36, 37, 90, 99].map { thread.stint.most(from: $0) } == [64, 64, 64, 63, 10, 1])
        #expect([100, 101, 102, 104, 163, 164, 1_000].map { thread.stint.most(from: $0) } == [1, 1, 2, 4, 63, 64, 64])
    }
}
