import Callbacks
import SourceFiles
import Testing

@testable import Wrapping

@Suite struct `Overloads with the name of another function` {
    private func wrapped(_ text: String) -> WrappedFile {
        let file = SourceFile(path: "test.swift", text: text)
        return wrap(file, in: WrapContext([FileFacts(file)]))
    }

    private let push = """
        func push(_ view: View, animated: Bool, completion: @escaping () -> Void) {
            push(view, animated: animated)
            completion()
        }
        """
    private let overload = "func push(_ view: View, animated: Bool) -> Future<Void>"

    @Test(arguments: [
        "extension UINavigationController {", "class Navigation: UINavigationController {",
        "class Base: UINavigationController {}\nclass Navigation: Base {",
        "class Base: Views.Controller<Int> {}\nextension Base {",
    ])
    func `Calls of a function of the system keep their meaning`(_ type: String) {
        #expect(wrapped("\(type)\n\(push)\n}\n").text.contains("@_disfavoredOverload\n\(overload)"))
        let reload = "func reload(completion: @escaping () -> Void) {}\nfunc f() { view.reload() }"
        #expect(wrapped("\(type)\n\(reload)\n}\n").text.contains("@_disfavoredOverload\nfunc reload() -> Future<Void>"))
    }

    @Test(arguments: [
        "extension Navigation {", "class Navigation: NSObject, Codable {", "struct Navigation: Sendable {",
    ])
    func `A type of the files that inherits nothing has no other functions`(_ type: String) {
        let text = "\(type)\n\(push)\n}\n" + (type.hasPrefix("e") ? "class Navigation {}\n" : "")
        #expect(wrapped(text).text.contains(overload))
        #expect(!wrapped(text).text.contains("@_disfavoredOverload"))
    }

    @Test func `A function of the system that nothing calls needs no mark`() {
        let text = "extension UIView {\nfunc show(completion: @escaping () -> Void) {}\n}\n"
        #expect(wrapped(text).text.contains("func show() -> Future<Void>"))
        #expect(!wrapped(text).text.contains("@_disfavoredOverload"))
    }

    @Test func `Functions that differ only in the label of their completion handler are left`() {
        let text = """
            class C {
                func meet(_ call: Call, didEnd completion: @escaping () -> Void) {}
                func meet(_ call: Call, goBack completion: @escaping () -> Void) {}
                func meet(_ call: Call, ask completion: @escaping (Int) -> Void) {}
            }

            """
        let result = wrapped(text)
        #expect(result.changes.count == 1)
        #expect(result.text.contains("func meet(_ call: Call) -> Future<Int>"))
        #expect(result.skipped.count == 2)
        #expect(result.skipped.first?.reason.contains("Its overload would be that of meet(_:goBack:) too") ?? false)
    }
}
