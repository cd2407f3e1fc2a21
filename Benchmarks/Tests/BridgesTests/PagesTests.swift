import Foundation
import Testing

@Suite("The pages show the bridges that are tested here")
struct PagesTests {
    private static let here = URL(filePath: #filePath).deletingLastPathComponent()
    private static let pages = here.appending(path: "../../../Sources/SimpleFuturesInterop/SimpleFuturesInterop.docc")

    @Test(arguments: [("FromSwiftNIO", "SwiftNIO"), ("FromCombine", "Combine")])
    func `Each bridge stands in a page and in a file word for word`(page: String, file: String) throws {
        let text = try String(contentsOf: Self.pages.appending(path: "\(page).md"), encoding: .utf8)
        let tested = try String(contentsOf: Self.here.appending(path: "Bridges/\(file).swift"), encoding: .utf8)
            .replacing("OpenCombine", with: "Combine")
        let shown = text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
            .filter { $0.contains("import NIOCore\n") || $0.contains("import Combine\n") }
        #expect(shown.joined(separator: "\n\n") + "\n" == tested)
    }
}
