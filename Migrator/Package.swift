// swift-tools-version: 6.2

import PackageDescription

let library: [Target.Dependency] = [
    .product(name: "SimpleFutures", package: "SimpleFutures"),
    .product(name: "SimpleFuturesInterop", package: "SimpleFutures"),
]

// A package of its own, so that who uses SimpleFutures does not build swift-syntax.
let package = Package(
    name: "Migrator",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "migrator", targets: ["migrator"])],
    dependencies: [
        // For the tests: what `wrap` writes is compiled against the library.
        .package(name: "SimpleFutures", path: ".."),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "SourceFiles",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftParserDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
            ]),
        .target(
            name: "Callbacks",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Scanning",
            dependencies: [
                "SourceFiles", "Callbacks", "Porting", .product(name: "SwiftSyntax", package: "swift-syntax"),
            ]),
        .target(
            name: "Wrapping",
            dependencies: ["SourceFiles", "Callbacks", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Linting",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .target(
            name: "Porting",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .executableTarget(
            name: "migrator",
            dependencies: [
                "SourceFiles", "Callbacks", "Scanning", "Wrapping", "Linting", "Porting",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .testTarget(
            name: "SourceFilesTests",
            dependencies: ["SourceFiles", .product(name: "SwiftSyntax", package: "swift-syntax")]),
        .testTarget(name: "CallbacksTests", dependencies: ["Callbacks", "SourceFiles"]),
        .testTarget(name: "ScanningTests", dependencies: ["Scanning", "Callbacks", "SourceFiles"]),
        .testTarget(
            name: "WrappingTests", dependencies: ["Wrapping", "Callbacks", "SourceFiles"], exclude: ["Fixtures"]),
        .testTarget(
            name: "WrappedSwift5", dependencies: library, path: "Tests/Wrapped/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "WrappedSwift6", dependencies: library, path: "Tests/Wrapped/Swift6"),
        .testTarget(
            name: "LintingTests",
            dependencies: ["Linting", "SourceFiles"]),
        .testTarget(
            name: "PortingTests",
            dependencies: ["Porting", "SourceFiles"]),
        .testTarget(name: "CommandTests", dependencies: ["migrator", "SourceFiles"]),
    ],
    swiftLanguageModes: [.v6]
)

// What `wrap` writes is for packages without these features too.
for target in package.targets where !target.name.hasPrefix("Wrapped") {
    var settings = target.swiftSettings ?? []
    settings += [
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
        .enableUpcomingFeature("ExistentialAny"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
        .enableUpcomingFeature("MemberImportVisibility"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
        .enableUpcomingFeature("InternalImportsByDefault"),
        // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    target.swiftSettings = settings
}
