extension Configuration {
  /// The configuration in the bytes of a file.
  ///
  /// Any bytes are answered: at most 64 KiB are looked at, in time about proportional to their
  /// number.
  ///
  /// - Parameter source: the whole file; see `Configuration` for what it may say.
  /// - Returns: the configuration, complete and within all limits.
  /// - Throws: everything that is wrong with the file; after a mistake in its YAML, only what was
  ///   found until there.
  public static func parse(_ source: [UInt8]) throws(ConfigurationErrors) -> Configuration {
    let problems = ProblemCollector()
    guard let root = tree(of: source, problems) else { throw problems.errors }
    let field = ConfigurationField(node: root, path: .root, problems: problems)
    guard field.hasValue, let configuration = field.configuration(), problems.isEmpty else {
      throw problems.errors
    }
    return configuration
  }

  /// The text's structure; nil, reported, when there is none.
  private static func tree(of source: [UInt8], _ problems: ProblemCollector) -> YAMLNode? {
    guard let end = ConfigurationSource.end(of: source, problems: problems) else { return nil }
    let root = YAMLTreeBuilder.tree(of: source, end: end, problems: problems)
    if problems.isEmpty, root?.isEmpty ?? true {
      problems.report(
        at: .start, .root, "the file has no settings",
        remedy: "write at least home_assistant: { url: http://192.168.1.5:8123 }")
      return nil
    }
    return root
  }
}
