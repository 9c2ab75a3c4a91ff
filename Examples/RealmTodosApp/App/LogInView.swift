// SPDX-License-Identifier: Apache-2.0

// The first view: an address and a password.

import SwiftUI

struct LogInView: View {
  let account: TodoAccount
  @State private var email = ""
  @State private var password = ""

  var body: some View {
    List {
      TextField("Address", text: $email)
      SecureField("Password", text: $password)
      Button("Log in") { send(isNew: false) }
      Button("Register") { send(isNew: true) }
      Text(account.isBusy ? "One moment…" : account.failure ?? "")
    }
  }

  private func send(isNew: Bool) {
    Task { await account.logIn(email: email, password: password, isNew: isNew) }
  }
}
