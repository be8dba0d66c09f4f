// swift-tools-version: 6.2
import PackageDescription

// The example as another program has it: a package of its own that depends on the product.
let package = Package(
  name: "example",
  dependencies: [.package(name: "homeward", path: "../../..")],
  targets: [
    .executableTarget(
      name: "example",
      dependencies: [.product(name: "HomeAssistant", package: "homeward")],
      path: ".", sources: ["Main.swift"])
  ]
)
