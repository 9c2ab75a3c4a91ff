// SPDX-License-Identifier: Apache-2.0

// Observes the realm on the main actor while another actor writes.

import RealmSwift

/// Prints every change set of the two classes.
@MainActor
final class Watcher {
  private let cities: Results<City>
  private let countries: Results<Country>
  private let terminal: Terminal
  private var tokens: [NotificationToken] = []

  init(_ realm: Realm, _ terminal: Terminal) {
    cities = realm.objects(City.self)
    countries = realm.objects(Country.self)
    self.terminal = terminal
    tokens = [
      // Without key paths a city would count as modified when a city is added to its country.
      cities.observe(keyPaths: ["name", "population"]) { [weak self] in self?.tell("cities", $0) },
      countries.observe { [weak self] in self?.tell("countries", $0) },
    ]
  }

  /// Stops watching.
  func stop() {
    for token in tokens {
      token.invalidate()
    }
    tokens = []
  }

  private func tell<Element>(_ name: String, _ change: RealmCollectionChange<Results<Element>>) {
    switch change {
    case .initial(let results):
      terminal.line("  main actor: \(results.count.grouped) \(name) at first")
    case .update(let results, let deletions, let insertions, let modifications):
      terminal.line(
        "  main actor: \(results.count.grouped) \(name) now"
          + " (\(insertions.count.grouped) inserted, \(modifications.count.grouped) modified,"
          + " \(deletions.count.grouped) deleted)")
    case .error(let error):
      terminal.line("  main actor: \(error)")
    }
  }
}
