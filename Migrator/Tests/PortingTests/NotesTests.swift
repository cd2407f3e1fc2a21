import Porting
import Testing

@Suite struct `Notes of calls that are left` {
    private func notes(_ count: Int, all: Bool = false) -> [String] {
        let lines = (0..<count).map { "let a\($0): AnyPublisher<Int, Never>" } + ["let b: AnyCancellable"]
        return port(lines.joined(separator: "\n"), from: .combine)?.notes(all: all) ?? []
    }

    @Test func `Calls of one kind in a file have one note, with the lines`() throws {
        #expect(notes(3).count == 2)
        #expect(try #require(notes(3).first).hasPrefix("File.swift:2:9: note: left 3 times, in lines 2, 3, 4: `AnyP"))
        #expect(try #require(notes(3).last).hasPrefix("File.swift:5:8: note: left: `AnyCancellable`"))
        #expect(notes(1)[0].hasPrefix("File.swift:2:9: note: left: `AnyPublisher"))
    }

    @Test func `Long lists of lines are cut after five`() {
        #expect(notes(6)[0].contains("left 6 times, in lines 2, 3, 4, 5, 6, 7: "))
        #expect(notes(200)[0].contains("left 200 times, in lines 2, 3, 4, 5, 6 and 195 more: "))
    }

    @Test func `All notes are there if they are asked for`() {
        #expect(notes(200, all: true).count == 201)
        #expect(notes(200, all: true)[1].hasPrefix("File.swift:3:9: note: left: `AnyPublisher"))
    }

    @Test func `Calls that are left for other reasons have other notes`() {
        let text = "func f() { a.sink { b() } }\nfunc g() { a.sink(receiveCompletion: b, receiveValue: c) }"
        #expect(port(text, from: .combine)?.notes().count == 2)
    }
}
