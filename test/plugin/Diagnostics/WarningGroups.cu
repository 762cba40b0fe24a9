// -Wkernix-... on the command line, as plugin arguments, in pragmas.
// RUN: %cuda-host -fsyntax-only %s 2>&1 | FileCheck --check-prefixes=WARN,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -w %s 2>&1 | FileCheck --check-prefix=QUIET --allow-empty %s
// RUN: not %cuda-host -fsyntax-only -Werror -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=ERROR,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -Werror -Wno-error=kernix-no-effect -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=WARN,PRAGMA %s
// RUN: not %cuda-host -fsyntax-only -Werror=kernix-no-effect -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=ERROR,PRAGMA %s
// RUN: not %cuda-host -fsyntax-only -fplugin-arg-kernix-Werror=kernix-no-effect %s 2>&1 | FileCheck --check-prefixes=ERROR,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -Wno-kernix-no-effect -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=OFF,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix-no-effect %s 2>&1 | FileCheck --check-prefixes=OFF,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix %s 2>&1 | FileCheck --check-prefixes=OFF,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -Wno-kernix-no-effect -Wkernix-no-effect -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=WARN,PRAGMA %s
// RUN: %cuda-host -fsyntax-only -Wno-kernix-arg-spec -Wno-unknown-warning-option %s 2>&1 | FileCheck --check-prefixes=WARN,PRAGMA %s
// RUN: not %cuda-host -fsyntax-only -fplugin-arg-kernix-Wno-kernix-no-efect %s 2>&1 | FileCheck --check-prefix=UNKNOWN %s

// UNKNOWN: error: unknown warning option 'Wno-kernix-no-efect' of the plugin; did you mean 'kernix-no-effect'?

[[kernix::capability(plain)]] void plain();
// WARN: :[[@LINE-1]]:3: warning: 'kernix::capability' has no effect: 'plain' is not bound [-Wkernix-no-effect]
// ERROR: :[[@LINE-2]]:3: error: 'kernix::capability' has no effect: 'plain' is not bound [-Werror,-Wkernix-no-effect]
// OFF-NOT: :[[@LINE-3]]:3:

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkernix-no-effect"
[[kernix::capability(plain)]] void ignored();
// PRAGMA-NOT: 'ignored' is not bound
#pragma clang diagnostic error "-Wkernix-no-effect"
#ifdef AS_ERROR
[[kernix::capability(plain)]] void error();
#endif
#pragma clang diagnostic pop
#pragma GCC diagnostic warning "-Wkernix-no-effect"
[[kernix::capability(plain)]] void warning();
// PRAGMA: :[[@LINE-1]]:3: {{warning|error}}: 'kernix::capability' has no effect: 'warning' is not bound
#pragma clang diagnostic ignored "-Wkernix"
[[kernix::capability(plain)]] void all();
// PRAGMA-NOT: 'all' is not bound

// Clang still speaks of groups that nobody knows.
#pragma clang diagnostic ignored "-Wunknown-warning-option"
#pragma clang diagnostic ignored "-Wkernix-not-a-group"
#pragma clang diagnostic warning "-Wunknown-warning-option"
// PRAGMA-NOT: {{warning|error}}:

// QUIET-NOT: {{warning|error}}
