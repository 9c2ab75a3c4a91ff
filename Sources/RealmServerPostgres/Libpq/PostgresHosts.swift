// SPDX-License-Identifier: Apache-2.0

// The hosts of a connection string.
//
// libpq tries them by itself, but a caller that does not block has one limit of time for all: a
// host that accepts connections and never answers would take all of it.

#if Postgres
/// The hosts of a connection string, each as options that choose it alone.
struct PostgresHosts {
  /// The lists of a string with several hosts, by their keywords.
  private static let keywords = ["host", "hostaddr", "port"]

  /// None where the string names one host or none.
  let choices: [[(String, String)]]

  init(of connection: String, _ library: Libpq) {
    let values = Self.values(connection, library)
    let lists = Self.keywords.map { values[$0].map(Self.parts) ?? [] }
    let count = max(lists[0].count, lists[1].count)
    guard count > 1 else {
      choices = []
      return
    }
    choices = (0..<count).map { number in
      zip(Self.keywords, lists).compactMap { keyword, list in
        // One port is that of all hosts.
        guard let value = list.count == 1 ? list[0] : list.dropFirst(number).first else {
          return nil
        }
        // An address of several hosts without ports has as many empty ones, which would count for
        // a single host.
        return (keyword, value.isEmpty && keyword == "port" ? "5432" : value)
      }
    }
  }

  private static func parts(_ list: String) -> [String] {
    list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// The values of a connection string; none of one that libpq does not accept, as it will say.
  private static func values(_ connection: String, _ library: Libpq) -> [String: String] {
    guard let options = unsafe library.parse(connection, nil) else { return [:] }
    defer { unsafe library.freeParsed(options) }
    // Keyword, environment variable, built-in value, value, label, character, and a size.
    let stride = 7 * MemoryLayout<Int>.size
    var values: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.load(as: Libpq.Text?.self) {
      let value = unsafe option.load(
        fromByteOffset: 3 * MemoryLayout<Int>.size, as: Libpq.Text?.self)
      if let value = unsafe value {
        unsafe values[String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += stride
    }
    return values
  }
}
#endif
