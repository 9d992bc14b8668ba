// SPDX-License-Identifier: MIT
// Before anything is shown: light or dark, as the reader has set it or as the system has it.
(function () {
    'use strict';
    var root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)');
    function saved() { try { return localStorage.getItem('book-theme'); } catch (e) { return null; } }
    window.bookTheme = {
        saved: saved,
        show: function () { root.dataset.theme = saved() || (dark.matches ? 'dark' : 'light'); },
        set: function (name) {
            try { if (name) localStorage.setItem('book-theme', name); else localStorage.removeItem('book-theme'); } catch (e) { }
            window.bookTheme.show();
        },
    };
    root.classList.add('js');
    window.bookTheme.show();
    dark.addEventListener('change', window.bookTheme.show);
}());
