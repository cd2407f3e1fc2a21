import Foundation

/// `snippet-extractor ROOT FOLDER PAGE...` makes a Swift file in the folder of each page's blocks, and
/// `Examples.swift`, a list of those that claim an output.
@main
struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else {
            FileHandle.standardError.write(Data("usage: snippet-extractor ROOT FOLDER PAGE...\n".utf8))
            exit(64)
        }
        let folder = URL(fileURLWithPath: arguments[2])
        var sources: [Source] = []
        for page in arguments[3...] {
            let text = try String(contentsOf: URL(fileURLWithPath: page), encoding: .utf8)
            let source = Source(path: String(page.dropFirst(arguments[1].count)), text: text)
            for block in source.blocks where !block.claims.isEmpty && block.kind != .statements {
                print(
                    "\(source.path):\(block.line): error: members and manifests are not run, and cannot claim an output"
                )
                exit(1)
            }
            try write(source.text, folder.appending(path: "\(URL(fileURLWithPath: page).lastPathComponent).swift"))
            sources.append(source)
        }
        let lists = sources.map { "    \($0.examples),\n" }.joined()
        try write("let examples: [Example] = [\n\(lists)].flatMap(\\.self)\n", folder.appending(path: "Examples.swift"))
    }

    private static func write(_ text: String, _ file: URL) throws {
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
}
